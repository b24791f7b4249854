//! What was proven of a run's levers, as HTML. Pure.

use maud::{Markup, html};
use soak_campaign::{status::LeverEntry, step::ProofTime};

/// What stands where nothing could be observed.
const NOTHING: &str = "nothing";

/// One lever on one process, before load and after.
struct Proof<'a> {
    first: &'a LeverEntry,
    before: Option<&'a LeverEntry>,
    after: Option<&'a LeverEntry>,
}

/// Each lever: what was declared, and what the process showed before load and after the last step.
pub fn levers(entries: &[LeverEntry]) -> Markup {
    let proofs = paired(entries);
    if proofs.is_empty() {
        return html! { p { "Levers: not proven." } };
    }
    let heads = ["lever", "declared", "before load", "after load", "read from", "result", "note"];
    html! {
        div.scroll {
            table {
                caption { "Levers" }
                thead { tr { @for head in heads { th.word scope="col" { (head) } } } }
                tbody { @for proof in &proofs { (line(proof)) } }
            }
        }
    }
}

/// Entries of the same lever on the same process together.
fn paired(entries: &[LeverEntry]) -> Vec<Proof<'_>> {
    let mut proofs: Vec<Proof<'_>> = Vec::new();
    for entry in entries {
        let same = |proof: &&mut Proof<'_>| {
            let first = proof.first;
            (first.attempt, first.part, &first.proof.lever) == (entry.attempt, entry.part, &entry.proof.lever)
        };
        let slot = |proof: &&mut Proof<'_>| match entry.at {
            ProofTime::BeforeLoad => proof.before.is_none(),
            ProofTime::AfterLoad => proof.after.is_none(),
        };
        if let Some(proof) = proofs.iter_mut().find(|proof| same(proof) && slot(proof)) {
            place(proof, entry);
        } else {
            let mut proof = Proof { first: entry, before: None, after: None };
            place(&mut proof, entry);
            proofs.push(proof);
        }
    }
    proofs
}

fn place<'a>(proof: &mut Proof<'a>, entry: &'a LeverEntry) {
    match entry.at {
        ProofTime::BeforeLoad => proof.before = Some(entry),
        ProofTime::AfterLoad => proof.after = Some(entry),
    }
}

fn line(proof: &Proof<'_>) -> Markup {
    let Proof { first, before, after } = proof;
    let part = if first.part > 1 { format!(" (part {})", first.part) } else { String::new() };
    let (class, result) = result(&[*before, *after]);
    let note = [*before, *after].into_iter().flatten().find_map(|entry| entry.proof.note.as_deref());
    html! {
        tr class=(class) {
            th.word scope="row" { (first.proof.lever) (part) }
            td { (first.proof.declared) }
            td { (observed(*before)) }
            td { (observed(*after)) }
            td { (format!("{:?}", first.proof.source)) }
            td { (result) }
            td { (note.unwrap_or_default()) }
        }
    }
}

fn observed(entry: Option<&LeverEntry>) -> &str {
    entry.map_or("not looked for", |entry| entry.proof.observed.as_deref().unwrap_or(NOTHING))
}

/// Held where it held each time it was looked for.
fn result(looks: &[Option<&LeverEntry>; 2]) -> (&'static str, &'static str) {
    let held: Vec<Option<bool>> = looks.iter().flatten().map(|entry| entry.proof.held).collect();
    match held.as_slice() {
        held if held.contains(&Some(false)) => ("unheld", "not held"),
        held if held.contains(&None) => ("open", "not enforced on this machine"),
        [_] => ("open", "held once, not looked for again"),
        _ => ("held", "held"),
    }
}
