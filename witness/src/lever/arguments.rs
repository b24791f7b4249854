//! Whether declared arguments are in effect on a command line. Pure. The last one wins: a flag that comes again later
//! with another value undoes the declared one.

/// Arguments that belong together: a flag with its value, or one word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Argument {
    /// What names it: the flag, or the word itself.
    pub(super) name: String,
    /// All of it, as written.
    pub(super) words: Vec<String>,
}

/// What a command line shows of one argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    /// The last that was given under this name; `None`: it is not there.
    pub(super) last: Option<String>,
    /// Whether the declared one is in effect.
    pub(super) held: bool,
    /// How often the name was given besides the declared ones.
    pub(super) besides: usize,
}

/// Takes declared arguments apart. A flag without `=` takes the word behind it along, unless that is a flag too.
pub(super) fn arguments(words: &[String]) -> Vec<Argument> {
    let mut found: Vec<Argument> = Vec::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let mut argument = Argument { name: name(word).to_owned(), words: vec![word.clone()] };
        if is_flag(word)
            && !word.contains('=')
            && let Some(value) = words.next_if(|next| !is_flag(next))
        {
            argument.words.push(value.clone());
        }
        found.push(argument);
    }
    found
}

/// Looks for one declared argument, of all those declared, on a command line.
pub(super) fn seen(argument: &Argument, declared: &[Argument], line: &[String]) -> Seen {
    let wanted: Vec<&Argument> = declared.iter().filter(|other| other.name == argument.name).collect();
    let given = given(argument, line);
    let tail = given.len().checked_sub(wanted.len()).map(|start| &given[start..]);
    let held = tail.is_some_and(|tail| tail.iter().zip(&wanted).all(|(given, wanted)| *given == wanted.words));
    Seen { last: given.last().map(|words| words.join(" ")), held, besides: given.len().saturating_sub(wanted.len()) }
}

/// Whether the words of all arguments come on the line in the declared order, others between them or not.
pub(super) fn in_order(declared: &[Argument], line: &[String]) -> bool {
    let mut line = line.iter();
    declared.iter().flat_map(|argument| &argument.words).all(|word| line.any(|other| other == word))
}

/// Everything that a line gives under an argument's name, each in as many words as the declared one has.
fn given<'a>(argument: &Argument, line: &'a [String]) -> Vec<&'a [String]> {
    let length = argument.words.len();
    let starts = (0..line.len()).filter(|&start| name(&line[start]) == argument.name);
    starts
        .map(|start| {
            // `--flag=value` is one word whatever the declared one is.
            let length = if line[start].contains('=') { 1 } else { length };
            &line[start..line.len().min(start + length)]
        })
        .collect()
}

/// The flag without its value. A word that is no flag names itself.
fn name(word: &str) -> &str {
    if is_flag(word) { word.split_once('=').map_or(word, |(flag, _)| flag) } else { word }
}

/// A dash and something that is not a number.
fn is_flag(word: &str) -> bool {
    word.strip_prefix('-')
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with(|letter: char| letter.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::{arguments, in_order, seen};

    fn words(text: &str) -> Vec<String> {
        text.split_ascii_whitespace().map(str::to_owned).collect()
    }

    /// Held or not, the last value, and how often besides, of the first declared argument.
    fn check(declared: &str, line: &str, expected: (bool, Option<&str>, usize)) {
        let declared = arguments(&words(declared));
        let seen = seen(&declared[0], &declared, &words(line));
        assert_eq!((seen.held, seen.last.as_deref(), seen.besides), expected, "{line}");
    }

    #[test]
    fn an_argument_that_is_there_is_held() {
        check("--codec=dynamic", "arm rest --codec=dynamic", (true, Some("--codec=dynamic"), 0));
        check("--threads 4", "arm --threads 4 --port 0", (true, Some("--threads 4"), 0));
        check("serve", "arm serve", (true, Some("serve"), 0));
        check("-Xmx512m", "java -Xmx512m -jar a.jar", (true, Some("-Xmx512m"), 0));
        check("--offset -1", "arm --offset -1", (true, Some("--offset -1"), 0));
    }

    #[test]
    fn an_argument_that_is_not_there_is_not_held() {
        check("--codec=dynamic", "arm rest", (false, None, 0));
        check("--codec=dynamic", "arm --codec=compiled", (false, Some("--codec=compiled"), 0));
        check("--threads 4", "arm --threads", (false, Some("--threads"), 0));
        check("--threads 4", "arm --threads=4", (false, Some("--threads=4"), 0));
    }

    #[test]
    fn the_last_one_wins() {
        check("--codec=a", "arm --codec=b --codec=a", (true, Some("--codec=a"), 1));
        check("--codec=a", "arm --codec=a --codec=b", (false, Some("--codec=b"), 1));
        check("--threads 4", "arm --threads 4 --threads 8", (false, Some("--threads 8"), 1));
    }

    #[test]
    fn a_flag_may_be_declared_more_than_once() {
        check("-H a -H b", "arm -H a -H b", (true, Some("-H b"), 0));
        check("-H a -H b", "arm -H b -H a", (false, Some("-H a"), 0));
        check("-H a -H b", "arm -H b", (false, Some("-H b"), 0));
    }

    #[test]
    fn the_order_of_arguments_counts() {
        let check = |declared: &str, line: &str, expected: bool| {
            assert_eq!(in_order(&arguments(&words(declared)), &words(line)), expected, "{line}");
        };
        check("copy from to", "arm copy from to", true);
        check("copy from to", "arm copy to from", false);
        check("--a 1 --b 2", "arm --x --a 1 --y --b 2", true);
    }
}
