//! Which tokens end generation: those that a file names, and those with a text that is known to.

/// Control tokens with such a text end generation, whatever the files of a model say: those that
/// llama.cpp finds by text as well (`llama_vocab::impl::load`), with those that fill up and that stand
/// between the files of a repository.
const TEXTS: [&str; 33] = [
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<｜end▁of▁sentence｜>",
    "[e~[",
    "<|fim_pad|>",
    "<fim-pad>",
    "<fim_pad>",
    "<PAD>",
    "[PAD]",
    "<|fim_repo|>",
    "<|repo_name|>",
    "<fim-repo>",
    "<REPO>",
    "<reponame>",
    "<|file_sep|>",
];

/// Whether a text is one of them.
pub(super) fn is_listed(text: &str) -> bool {
    TEXTS.contains(&text)
}

/// Whether a control token with this text ends generation; `has` says which texts the vocabulary has besides.
pub(super) fn is_known(text: &str, has: impl Fn(&str) -> bool) -> bool {
    is_listed(text)
        && match text {
            // There it ends a message, behind which another one may come.
            "<|end|>" => {
                let harmony = has("<|return|>") && (has("<|call|>") || has("<|calls|>"));
                let solar = has("<|flush|>") && (has("<|call|>") || has("<|calls|>"));
                !harmony && !solar
            }
            // There it is a tag of a text.
            "</s>" => !has("<|tool_response>"),
            _ => true,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_texts_depend_on_others() {
        let known = |text, others: &[&str]| is_known(text, |other| others.contains(&other));
        assert!(known("<|im_end|>", &[]) && known("<reponame>", &[]) && !known("end", &[]));
        assert!(known("<|end|>", &["<|return|>"]));
        assert!(!known("<|end|>", &["<|return|>", "<|call|>"]));
        assert!(!known("<|end|>", &["<|flush|>", "<|calls|>"]));
        assert!(known("</s>", &[]) && !known("</s>", &["<|tool_response>"]));
    }
}
