//! x
#[test]
fn x() {
    let _ = tokenizers::models::bpe::BPE::default();
}
