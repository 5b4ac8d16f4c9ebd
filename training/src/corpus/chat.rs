//! Conversations in the form of `ChatML`, as the chat template of the model writes them.

use super::draw::Draw;
use super::plain;
use super::prompts;

/// A message with its marks.
pub(super) fn message(role: &str, content: &str) -> String {
    format!("<|im_start|>{role}\n{content}<|im_end|>\n")
}

/// A thought before an answer.
pub(super) fn thought(text: &str) -> String {
    format!("<think>\n{text}\n</think>\n\n")
}

/// Questions with answers, in JSON or in a few words.
pub(super) fn chat(draw: &mut Draw) -> String {
    let mut text = String::new();
    if draw.chance(25) {
        let system = draw.pick(&[
            "You are a helpful assistant.",
            "Answer in JSON.",
            "You extract data as JSON.",
            "Answer in a few words.",
            "You are an assistant that writes JSON.",
        ]);
        text += &message("system", system);
    }
    let turns = draw.size(1, 2);
    for _ in 0..turns {
        let (question, answer, reason) = if draw.chance(60) {
            let prompt = prompts::prompt(draw);
            let json = prompt.json();
            let answer = if draw.chance(8) { format!("```json\n{json}\n```") } else { json };
            (prompt.request, answer, "The user wants JSON. I take the values from the text.")
        } else {
            let (question, answer) = plain::answered(draw);
            (question, answer, "The answer is short.")
        };
        text += &message("user", &question);
        let thinking = if draw.chance(15) { thought(reason) } else { String::new() };
        text += &message("assistant", &(thinking + &answer));
    }
    text
}
