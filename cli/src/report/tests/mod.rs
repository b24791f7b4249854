//! The page, read by a real HTML parser: that it loads nothing, that names cannot do harm, that nothing is left out.

mod contents;
mod harmless;
mod small;

use scraper::{ElementRef, Html, Selector};

use super::document;
use small::Small;

/// The page of a campaign, parsed.
fn page(small: &Small) -> Html {
    Html::parse_document(&small.document())
}

fn all<'a>(page: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    page.select(&Selector::parse(selector).unwrap()).collect()
}

fn within<'a>(element: ElementRef<'a>, selector: &str) -> Vec<ElementRef<'a>> {
    element.select(&Selector::parse(selector).unwrap()).collect()
}

/// The text of an element, each gap one space.
fn text(element: ElementRef<'_>) -> String {
    element.text().collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}
