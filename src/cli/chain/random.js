// Random numbers bit for bit as the library draws them (sampler/src/rng.rs).

/** The Mersenne Twister, 32-bit, seeded with one number. */
class Mt19937 {
  static STATE = 624;
  static SHIFT = 397;

  constructor(seed) {
    this.state = new Uint32Array(Mt19937.STATE);
    this.state[0] = seed;
    for (let i = 1; i < Mt19937.STATE; i++) {
      const previous = this.state[i - 1];
      this.state[i] = Math.imul(previous ^ (previous >>> 30), 1812433253) + i;
    }
    this.next = Mt19937.STATE;
  }

  /** Replaces all words of the state by their successors. */
  twist() {
    const { STATE, SHIFT } = Mt19937;
    for (let i = 0; i < STATE; i++) {
      const mixed = (this.state[i] & 0x80000000) | (this.state[(i + 1) % STATE] & 0x7fffffff);
      const odd = mixed & 1 ? 0x9908b0df : 0;
      this.state[i] = this.state[(i + SHIFT) % STATE] ^ (mixed >>> 1) ^ odd;
    }
    this.next = 0;
  }

  /** The next 32 bits. */
  draw() {
    if (this.next === Mt19937.STATE) this.twist();
    let word = this.state[this.next++];
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  /** A number in [0, 1) in double precision, of two draws. */
  double() {
    const word = 4294967296;
    const low = this.draw();
    const high = this.draw();
    return Math.min((low + high * word) / (word * word), 1 - 2 ** -53);
  }

  /** A number in [0, 1) in single precision, of one draw. */
  single() {
    return Math.min(Math.fround(this.draw()) / 4294967296, 1 - 2 ** -24);
  }
}

/** An index drawn with these weights. With fewer than two of them it is 0 and nothing is drawn. */
function drawIndex(weights, generator) {
  if (weights.length < 2) return 0;
  const target = generator.double();
  const sum = weights.reduce((sum, weight) => sum + weight, 0);
  let running = 0;
  const cumulative = weights.map((weight) => (running += weight / sum));
  cumulative[cumulative.length - 1] = 1;
  let [low, high] = [0, cumulative.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (cumulative[middle] < target) low = middle + 1;
    else high = middle;
  }
  return Math.min(low, cumulative.length - 1);
}
