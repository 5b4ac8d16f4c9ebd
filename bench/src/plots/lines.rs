//! Curves of times over steps that are equally far apart; the times by their magnitude.

use super::svg::{Anchor, COLOURS, FAINT, INK, LETTERS, Svg};

/// Curves with what is written around them.
pub struct Lines<'a> {
    pub title: &'a str,
    pub across: &'a str,
    pub upwards: &'a str,
    pub steps: Vec<String>,
    /// With a time for each step, in microseconds; none if there is none.
    pub curves: Vec<(String, Vec<Option<f64>>)>,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 430.0;
const LEFT: f64 = 90.0;
const RIGHT: f64 = 180.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 65.0;

impl Lines<'_> {
    pub fn draw(&self) -> String {
        let mut svg = Svg::new(WIDTH, self.title);
        let times = self.curves.iter().flat_map(|(_, times)| times).flatten();
        let powers = times.map(|time| time.max(1e-3).log10());
        let least = powers.clone().fold(f64::INFINITY, f64::min).min(0.0).floor();
        let most = powers.fold(least + 1.0, f64::max).ceil();
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let gap = (right - LEFT) / self.steps.len() as f64;
        let x = |step: usize| LEFT + gap * (step as f64 + 0.5);
        let y = |power: f64| bottom - (power - least) / (most - least) * (bottom - TOP);

        for power in least as i32..=most as i32 {
            let y = y(f64::from(power));
            svg.line((LEFT, y), (right, y), FAINT);
            svg.text((LEFT - 8.0, y + LETTERS / 3.0), Anchor::End, &time(power));
        }
        svg.line((LEFT, TOP), (LEFT, bottom), INK);
        svg.line((LEFT, bottom), (right, bottom), INK);
        svg.upright((22.0, f64::midpoint(TOP, bottom)), self.upwards);
        for (step, name) in self.steps.iter().enumerate() {
            svg.line((x(step), bottom), (x(step), bottom + 5.0), INK);
            svg.text((x(step), bottom + 20.0), Anchor::Middle, name);
        }
        svg.text((f64::midpoint(LEFT, right), bottom + 46.0), Anchor::Middle, self.across);

        for (at, (name, times)) in self.curves.iter().enumerate() {
            let colour = COLOURS[at % COLOURS.len()];
            let points = times.iter().enumerate();
            let points: Vec<_> = points
                .filter_map(|(step, time)| Some((x(step), y((*time)?.max(1e-3).log10()))))
                .collect();
            svg.curve(&points, colour);
            for &point in &points {
                svg.mark(point, at, colour);
            }
            let (x, y) = (right + 20.0, TOP + 20.0 + 24.0 * at as f64);
            svg.curve(&[(x, y), (x + 24.0, y)], colour);
            svg.mark((x + 12.0, y), at, colour);
            svg.text((x + 32.0, y + LETTERS / 3.0), Anchor::Start, name);
        }
        svg.finish(HEIGHT)
    }
}

/// A power of ten, of microseconds.
fn time(power: i32) -> String {
    let (power, unit) = match power {
        ..0 => (power + 3, "ns"),
        0..3 => (power, "us"),
        3..6 => (power - 3, "ms"),
        _ => (power - 6, "s"),
    };
    format!("{} {unit}", 10_f64.powi(power))
}
