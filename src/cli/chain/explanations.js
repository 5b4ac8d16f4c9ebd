// What each step does, in a sentence, and the parameters that shape it: the name of the setting,
// what it is called, and the range and the step of its slider.

const explanations = {
  logits: { words: "What the model says.", parameters: [] },
  mask: { words: "What may not come next is taken out first.", parameters: [] },
  "logit-bias": { words: "Adds to the logits of given tokens.", parameters: [] },
  penalties: {
    words: "Lowers the logits of tokens that came lately.",
    parameters: [
      ["repeat_last_n", "tokens looked back", 0, 256, 1],
      ["repeat_penalty", "repeat: divides", 1, 2, 0.01],
      ["frequency_penalty", "frequency: per occurrence", -2, 2, 0.05],
      ["presence_penalty", "presence: once", -2, 2, 0.05],
    ],
  },
  dry: {
    words: "Lowers the logits of tokens that would go on with a repeat.",
    parameters: [
      ["dry_multiplier", "multiplier (0 is off)", 0, 3, 0.05],
      ["dry_base", "base: per further token", 1, 4, 0.05],
      ["dry_allowed_length", "length allowed", 0, 20, 1],
      ["dry_last_n", "tokens looked back", 0, 256, 1],
    ],
  },
  "top-n-sigma": {
    words: "Keeps logits within n standard deviations of the best.",
    parameters: [["top_n_sigma", "n (0 is off)", 0, 4, 0.05]],
  },
  "top-k": {
    words: "Keeps the k likeliest.",
    parameters: [["top_k", "k (0 is off)", 0, 200, 1]],
  },
  typical: {
    words: "Keeps what is about as surprising as is to be expected.",
    parameters: [["typical", "p (1 is off)", 0, 1, 0.01]],
  },
  "top-p": {
    words: "Keeps the likeliest that together have probability p.",
    parameters: [["top_p", "p (1 is off)", 0, 1, 0.01]],
  },
  "min-p": {
    words: "Keeps what is at least p times as likely as the best.",
    parameters: [["min_p", "p (0 is off)", 0, 1, 0.01]],
  },
  xtc: {
    words: "Sometimes drops all likely choices but the least likely of them.",
    parameters: [
      ["xtc_probability", "probability (0 is off)", 0, 1, 0.01],
      ["xtc_threshold", "threshold (above 0.5 is off)", 0, 0.51, 0.01],
    ],
  },
  temp: {
    words: "Flatter above 1, sharper below; 0 leaves the best.",
    parameters: [["temperature", "temperature", 0, 2, 0.01]],
  },
  "temp-ext": {
    words: "Flatter above 1, sharper below; 0 leaves the best.",
    parameters: [
      ["temperature", "temperature", 0, 2, 0.01],
      ["temperature_range", "range around it, by entropy", 0, 2, 0.01],
      ["temperature_exponent", "exponent of the entropy", 0.1, 4, 0.05],
    ],
  },
  "top-a": {
    words: "Keeps what is at least a times as likely as the best, squared.",
    parameters: [["top_a", "a (0 is off)", 0, 1, 0.01]],
  },
  "epsilon-cutoff": {
    words: "Keeps what has at least a probability.",
    parameters: [["epsilon_cutoff", "probability (0 is off)", 0, 0.05, 0.0001]],
  },
  "eta-cutoff": {
    words: "Keeps what has at least a probability, less where many tokens may come.",
    parameters: [["eta_cutoff", "probability (0 is off)", 0, 0.05, 0.0001]],
  },
  infill: {
    words: "Keeps the few tokens that are sure to fill a gap, or ends generation.",
    parameters: [],
  },
  mirostat: {
    words: "Cuts to reach a wanted surprise, judged by Zipf's law, and draws.",
    parameters: [
      ["mirostat_tau", "wanted surprise, bits", 0, 10, 0.1],
      ["seed", "seed", 0, 100, 1],
    ],
  },
  "mirostat-v2": {
    words: "Cuts what is more surprising than allowed, and draws.",
    parameters: [
      ["mirostat_tau", "wanted surprise, bits", 0, 10, 0.1],
      ["seed", "seed", 0, 100, 1],
    ],
  },
  "adaptive-p": {
    words: "Prefers tokens whose probability is near the target, and draws.",
    parameters: [
      ["adaptive_target", "target (below 0 is off)", -0.01, 1, 0.01],
      ["seed", "seed", 0, 100, 1],
    ],
  },
  dist: {
    words: "Draws one, each with its probability.",
    parameters: [["seed", "seed", 0, 100, 1]],
  },
};
