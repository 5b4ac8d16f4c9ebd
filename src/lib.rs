//! grammask makes a language model write only what a grammar allows.
pub use grammask_gbnf as gbnf;
pub use grammask_json_schema as json_schema;
pub use grammask_sampler as sampler;
