//! Shares of several wholes, a bar each, by row.

use super::svg::{Anchor, COLOURS, FAINT, INK, LETTERS, Svg};

/// Bars with what is written around them.
pub struct Bars<'a> {
    pub title: &'a str,
    pub across: &'a str,
    /// What the rows are.
    pub upwards: &'a str,
    /// What the bars of a row are shares of.
    pub wholes: Vec<&'a str>,
    /// With a share for each whole.
    pub rows: Vec<(String, Vec<f64>)>,
}

const WIDTH: f64 = 760.0;
const LEFT: f64 = 270.0;
const RIGHT: f64 = 60.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 65.0;
/// The height of a line that says what the bars are,
const LEGEND: f64 = 20.0;
/// of a bar, and of the gap between rows.
const BAR: f64 = 13.0;
const GAP: f64 = 10.0;
/// Where there are lines to measure by.
const TICKS: [f64; 6] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5];

impl Bars<'_> {
    pub fn draw(&self) -> String {
        let mut svg = Svg::new(WIDTH, self.title);
        let top = TOP + LEGEND * self.wholes.len() as f64;
        let row = BAR * self.wholes.len() as f64 + GAP;
        let (right, bottom) = (WIDTH - RIGHT, top + row * self.rows.len() as f64 + GAP);
        let most =
            self.rows.iter().flat_map(|(_, shares)| shares).fold(0.0, |a, &b| f64::max(a, b));
        // The most is at the right end, or a little before.
        let whole = (most * 20.0).ceil().max(1.0) / 20.0;
        let x = |share: f64| LEFT + share / whole * (right - LEFT);

        let step = if whole > 0.5 { 2.0 } else { 1.0 };
        for share in TICKS.map(|tick| tick * step).into_iter().filter(|&tick| tick <= whole) {
            svg.line((x(share), top), (x(share), bottom), FAINT);
            svg.text((x(share), bottom + 20.0), Anchor::Middle, &format!("{:.0} %", 100.0 * share));
        }
        svg.text((f64::midpoint(LEFT, right), bottom + 46.0), Anchor::Middle, self.across);
        svg.text((LEFT - 10.0, top - 8.0), Anchor::End, self.upwards);
        for (at, whole) in self.wholes.iter().enumerate() {
            let y = TOP + LEGEND * at as f64;
            svg.rectangle((LEFT, y - 8.0), (14.0, 14.0), COLOURS[at % COLOURS.len()]);
            svg.text((LEFT + 22.0, y + LETTERS / 3.0), Anchor::Start, whole);
        }
        for (at, (name, shares)) in self.rows.iter().enumerate() {
            let top = top + GAP + row * at as f64;
            let middle = top + (row - GAP) / 2.0;
            svg.text((LEFT - 10.0, middle + LETTERS / 3.0), Anchor::End, name);
            for (at, &share) in shares.iter().enumerate() {
                let y = top + BAR * at as f64;
                let colour = COLOURS[at % COLOURS.len()];
                svg.rectangle((LEFT, y), (x(share) - LEFT, BAR - 1.0), colour);
                let text = format!("{:.1} %", 100.0 * share);
                svg.text((x(share) + 5.0, y + BAR - 2.0), Anchor::Start, &text);
            }
        }
        svg.line((LEFT, top), (LEFT, bottom), INK);
        svg.finish(bottom + BOTTOM)
    }
}
