//! The architectures, and in what they differ from each other.

use crate::LoadError;

/// How a model is built: the value of `general.architecture`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Architecture {
    /// `llama`: Llama, Mistral, Mixtral, `SmolLM`.
    Llama,
    /// `qwen2`: Qwen 2 and 2.5.
    Qwen2,
    /// `qwen3`: Qwen 3 without experts.
    Qwen3,
    /// `qwen3moe`: Qwen 3 with experts.
    Qwen3Moe,
    /// `gemma3`: the texts of Gemma 3.
    Gemma3,
    /// `phi3`: Phi 3, 3.5 and 4.
    Phi3,
    /// `glm4`: GLM 4.
    Glm4,
    /// `lfm2`: LFM 2, which has convolutions among its layers.
    Lfm2,
}

/// In what architectures differ, besides their sizes.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // Each says what one architecture has and another has not.
pub(crate) struct Traits {
    /// Rotation takes neighbours as pairs; else the two halves of a head.
    pub(crate) interleaved: bool,
    /// The gate goes through GELU (its approximation by tanh); else through `SiLU`.
    pub(crate) gelu: bool,
    /// Queries, keys and values have biases.
    pub(crate) biases: Biases,
    /// Queries and keys are normalised head by head.
    pub(crate) head_norms: bool,
    /// What attention and feed-forward give is normalised before it is added.
    pub(crate) post_norms: bool,
    /// Gate and up are one matrix, in this order, under the name of up.
    pub(crate) joined_gate: bool,
    /// Queries, keys and values may be one matrix, in this order.
    pub(crate) joined_attention: bool,
    /// Feed-forward may be by experts.
    pub(crate) experts: bool,
    /// Embeddings are multiplied by the root of their width.
    pub(crate) scaled_embeddings: bool,
}

/// Whether there are biases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Biases {
    Never,
    IfThere,
    Always,
}

const PLAIN: Traits = Traits {
    interleaved: false,
    gelu: false,
    biases: Biases::Never,
    head_norms: false,
    post_norms: false,
    joined_gate: false,
    joined_attention: false,
    experts: false,
    scaled_embeddings: false,
};

impl Architecture {
    const ALL: [Self; 8] = [
        Self::Llama,
        Self::Qwen2,
        Self::Qwen3,
        Self::Qwen3Moe,
        Self::Gemma3,
        Self::Phi3,
        Self::Glm4,
        Self::Lfm2,
    ];

    /// The name in files, which is also how the keys of its hyperparameters begin.
    ///
    /// ```
    /// use grammask_models::Architecture;
    ///
    /// assert_eq!(Architecture::Qwen3Moe.name(), "qwen3moe");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Llama => "llama",
            Self::Qwen2 => "qwen2",
            Self::Qwen3 => "qwen3",
            Self::Qwen3Moe => "qwen3moe",
            Self::Gemma3 => "gemma3",
            Self::Phi3 => "phi3",
            Self::Glm4 => "glm4",
            Self::Lfm2 => "lfm2",
        }
    }

    pub(crate) fn from_name(name: &str) -> Result<Self, LoadError> {
        let found = Self::ALL.into_iter().find(|architecture| architecture.name() == name);
        found.ok_or_else(|| LoadError::Architecture { name: name.to_owned() })
    }

    /// All names, for messages.
    pub(crate) fn list() -> String {
        Self::ALL.map(Self::name).join(", ")
    }

    /// As the functions `llm_build_*` of llama.cpp have it.
    pub(crate) fn traits(self) -> Traits {
        match self {
            Self::Llama => {
                Traits { interleaved: true, biases: Biases::IfThere, experts: true, ..PLAIN }
            }
            Self::Qwen2 => Traits { biases: Biases::Always, ..PLAIN },
            Self::Qwen3 | Self::Lfm2 => Traits { head_norms: true, ..PLAIN },
            Self::Qwen3Moe => Traits { head_norms: true, experts: true, ..PLAIN },
            Self::Gemma3 => Traits {
                gelu: true,
                head_norms: true,
                post_norms: true,
                scaled_embeddings: true,
                ..PLAIN
            },
            Self::Phi3 => Traits { joined_gate: true, joined_attention: true, ..PLAIN },
            Self::Glm4 => Traits {
                interleaved: true,
                biases: Biases::IfThere,
                post_norms: true,
                joined_gate: true,
                joined_attention: true,
                ..PLAIN
            },
        }
    }
}
