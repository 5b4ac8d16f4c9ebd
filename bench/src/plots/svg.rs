//! A picture as SVG text, with a ground of its own: it is looked at on light and on dark pages.

use std::fmt::Write;

/// The ground, and what is written and drawn on it.
const GROUND: &str = "#ffffff";
pub const INK: &str = "#222222";
pub const FAINT: &str = "#dddddd";
/// Colours that the colour-blind tell apart (Okabe and Ito, "Color Universal Design", 2008).
pub const COLOURS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];
/// The size of letters.
pub const LETTERS: f64 = 13.0;

/// A picture that grows.
pub struct Svg {
    width: f64,
    body: String,
}

/// Which point of a text its place means.
#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    pub fn new(width: f64, title: &str) -> Self {
        let mut svg = Self { width, body: String::new() };
        svg.push(format_args!(
            "<text x=\"{:.1}\" y=\"28\" text-anchor=\"middle\" font-size=\"16\" \
             font-weight=\"bold\" fill=\"{INK}\">{}</text>",
            width / 2.0,
            escaped(title)
        ));
        svg
    }

    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), colour: &str) {
        self.push(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\"/>"
        ));
    }

    pub fn rectangle(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), colour: &str) {
        self.push(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             fill=\"{colour}\"/>"
        ));
    }

    pub fn curve(&mut self, points: &[(f64, f64)], colour: &str) {
        let points: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.push(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.join(" ")
        ));
    }

    /// A point of a curve: those of each curve have a shape of their own, too.
    pub fn mark(&mut self, (x, y): (f64, f64), shape: usize, colour: &str) {
        let circle = format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>");
        let corners: &[(f64, f64)] = match shape {
            0 => return self.push(format_args!("{circle}")),
            1 => &[(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)],
            2 => &[(0.0, -5.0), (5.0, 4.0), (-5.0, 4.0)],
            _ => &[(0.0, -5.5), (5.5, 0.0), (0.0, 5.5), (-5.5, 0.0)],
        };
        let corners: Vec<_> =
            corners.iter().map(|(dx, dy)| format!("{:.1},{:.1}", x + dx, y + dy)).collect();
        self.push(format_args!("<polygon points=\"{}\" fill=\"{colour}\"/>", corners.join(" ")));
    }

    pub fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{INK}\">{}</text>",
            escaped(text)
        ));
    }

    /// A text from below to above, by its middle.
    pub fn upright(&mut self, (x, y): (f64, f64), text: &str) {
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" fill=\"{INK}\" \
             transform=\"rotate(-90 {x:.1} {y:.1})\">{}</text>",
            escaped(text)
        ));
    }

    /// The whole text.
    pub fn finish(self, height: f64) -> String {
        let Self { width, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" \
             font-size=\"{LETTERS}\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"{GROUND}\"/>\n{body}</svg>\n"
        )
    }

    fn push(&mut self, element: std::fmt::Arguments) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "{element}");
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{Anchor, Svg};

    #[test]
    fn texts_are_no_markup() {
        let mut svg = Svg::new(10.0, "a < b");
        svg.text((1.0, 2.0), Anchor::Start, "x & y");
        let text = svg.finish(20.0);
        assert!(text.contains("a &lt; b") && text.contains("x &amp; y"), "{text}");
    }
}
