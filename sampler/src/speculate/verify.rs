//! How much of a draft the model would have written itself.

use rand::Rng;
use thiserror::Error;

use super::proposal::Proposal;
use super::residual::Residual;
use super::tree::{DraftTree, Siblings};
use crate::{
    Candidate, ConstraintError, GrammarSampler, Mode, SampleError, Sampler, TokenId, uniform_f64,
};

/// What came out of a draft.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// The tokens that come next, at least one. Sampler and constraint have accepted them. The first
    /// ones are those of `nodes`; one more follows, unless the last of them ends generation.
    pub tokens: Vec<TokenId>,
    /// The tokens of the draft that came true, by their place in it, the first one first. What a model
    /// has computed for the others is of no use.
    pub nodes: Vec<usize>,
}

/// Verification: the tokens that come out are distributed as if they had been sampled one by one,
/// and they leave constraint and chain in the same state. Nothing has to be rolled back, since only
/// tokens that come out are accepted.
///
/// `logits` has one row for each position of the draft: the model's logits before the first token,
/// then those behind each token (node). A drafted token that the grammar refuses, or that the
/// vocabulary does not have, is a mismatch like any other. Behind a token that ends generation
/// nothing follows.
///
/// What goes wrong behind the first token is left to the next call, where it is the first.
impl GrammarSampler {
    /// Verifies a draft by sampling: at each position a token is sampled with the whole chain. If it is
    /// the drafted one it goes on behind it. 1 to n + 1 tokens come out of a draft of n.
    ///
    /// The very tokens come out that [`sample`](Self::sample) and [`accept`](Self::accept) would give
    /// with the same logits, whatever was drafted, in every mode and with every chain: the random
    /// numbers of the chain are drawn once a token, as they are there.
    ///
    /// Source: `common_sampler_sample_and_accept_n` of llama.cpp.
    ///
    /// # Errors
    ///
    /// [`VerifyError::Rows`], [`VerifyError::Sample`] and [`VerifyError::Accept`]; nothing has been
    /// accepted then.
    ///
    /// ```
    /// use grammask_gbnf::parse;
    /// use grammask_sampler::{
    ///     Chain, Constraint, Engine, GrammarSampler, Greedy, Mode, TokenId, Vocabulary,
    /// };
    ///
    /// let vocabulary = Vocabulary::from_json(r#"{"tokens": ["a", "b", "</s>"], "eog": [2]}"#)?;
    /// let constraint = Constraint::new(&Engine::new(vocabulary), &parse(r#"root ::= [ab]*"#)?, "root")?;
    /// let mut chain = Chain::new();
    /// chain.add(Greedy);
    /// let mut sampler = GrammarSampler::new(constraint, chain, Mode::GrammarFirst);
    /// // The model says `a`, `b` and `b`; it was drafted `a`, `a`.
    /// let logits = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let verified = sampler.verify(&[TokenId(0), TokenId(0)], &logits)?;
    /// assert_eq!(verified.tokens, [TokenId(0), TokenId(1)]);
    /// assert_eq!(verified.nodes, [0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn verify<L: AsRef<[f32]>>(
        &mut self,
        draft: &[TokenId],
        logits: &[L],
    ) -> Result<Verified, VerifyError> {
        self.verify_tree(&DraftTree::path(draft), logits)
    }

    /// Verifies a tree by sampling, as [`verify`](Self::verify) does: from each position it goes on to
    /// the first child that is the sampled token.
    ///
    /// # Errors
    ///
    /// As [`verify`](Self::verify).
    ///
    /// ```
    /// use grammask_gbnf::parse;
    /// use grammask_sampler::{
    ///     Chain, Constraint, DraftTree, Engine, GrammarSampler, Greedy, Mode, TokenId, Vocabulary,
    /// };
    ///
    /// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "b"]}"#)?);
    /// let constraint = Constraint::new(&engine, &parse("root ::= [ab]+")?, "root")?;
    /// let mut chain = Chain::new();
    /// chain.add(Greedy);
    /// let mut sampler = GrammarSampler::new(constraint, chain, Mode::GrammarFirst);
    /// // Two ways to begin. The model says `b`, and behind it `a`.
    /// let tree = DraftTree::new([(TokenId(0), None), (TokenId(1), None)])?;
    /// let verified = sampler.verify_tree(&tree, &[[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])?;
    /// assert_eq!((verified.tokens, verified.nodes), (vec![TokenId(1), TokenId(0)], vec![1]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn verify_tree<L: AsRef<[f32]>>(
        &mut self,
        tree: &DraftTree,
        logits: &[L],
    ) -> Result<Verified, VerifyError> {
        self.check_rows(tree, logits)?;
        self.descend(|sampler, position| {
            let token = sampler.sample(logits[position].as_ref())?;
            Ok((token, tree.children(position).find(|&node| tree.token(node) == token)))
        })
    }

    /// Verifies a draft by rejection: a drafted token is accepted with probability min(1, p / q), where
    /// p is what the chain gives it after the grammar, and q what it was drawn with. Else one comes from
    /// what is left of p: max(0, p - q), made to add up to 1. 1 to n + 1 tokens come out of a draft of n,
    /// more on average than with [`verify`](Self::verify).
    ///
    /// `proposals` has one row for each token of the draft: the candidates that it was drawn from, with
    /// their `p`, which need not add up to 1, such as [`Candidates`](crate::Candidates) behind
    /// [`Dist`](crate::Dist). The drafted tokens must have been drawn at random from just those: what was
    /// picked otherwise, say the likeliest, has a row with that candidate alone.
    ///
    /// `random` decides; it moves by one number (53 bits) for each token that is looked at, and one for a
    /// token that is drawn from what is left. The chain draws as well, once a token, as in plain
    /// decoding, but its draw decides only where p is not that of the last sampler
    /// ([`Sampler::draws`](crate::Sampler::draws)), and in [`Mode::Rejection`]: there the result is that
    /// of [`verify`](Self::verify). So it is for `Greedy`, and for Mirostat and adaptive-p, which learn
    /// from their own draws.
    ///
    /// Source: Leviathan et al. 2023, Chen et al. 2023;
    /// `common_sampler_sample_and_accept_n_rejection` of llama.cpp, which does not stop at the end of
    /// generation.
    ///
    /// # Errors
    ///
    /// As [`verify`](Self::verify), and [`VerifyError::Proposals`], [`VerifyError::NoDistribution`],
    /// [`VerifyError::Impossible`]; nothing has been accepted then.
    ///
    /// ```
    /// use grammask_gbnf::parse;
    /// use grammask_sampler::{
    ///     Candidates, Chain, Constraint, Dist, Engine, GrammarSampler, Mode, Mt19937, Vocabulary,
    /// };
    ///
    /// let vocabulary = Vocabulary::from_json(r#"{"tokens": ["a", "b"]}"#)?;
    /// let constraint = Constraint::new(&Engine::new(vocabulary), &parse(r#"root ::= [ab]+"#)?, "root")?;
    /// let mut chain = Chain::new();
    /// chain.add(Dist::new(1));
    /// let mut sampler = GrammarSampler::new(constraint, chain, Mode::GrammarFirst);
    ///
    /// let (mut draws, mut candidates) = (Chain::new(), Candidates::from_logits(&[0.5, 0.0]));
    /// draws.add(Dist::new(7));
    /// let draft = draws.sample(&mut candidates).expect("one of two");
    /// let mut random = Mt19937::new(3);
    /// let logits = [[0.0, 0.5], [0.0, 0.5]];
    /// let proposals = [candidates.as_slice()];
    /// let verified = sampler.verify_stochastic(&[draft], &proposals, &logits, &mut random)?;
    /// assert_eq!(verified.tokens.len(), verified.nodes.len() + 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn verify_stochastic<L: AsRef<[f32]>, Q: AsRef<[Candidate]>>(
        &mut self,
        draft: &[TokenId],
        proposals: &[Q],
        logits: &[L],
        random: &mut impl Rng,
    ) -> Result<Verified, VerifyError> {
        if proposals.len() != draft.len() {
            let (expected, given) = (draft.len(), proposals.len());
            return Err(VerifyError::Proposals { expected, given });
        }
        let rows = proposals.iter().map(AsRef::as_ref).chain([&[][..]]).collect();
        let tree = DraftTree::path(draft);
        self.verify_proposed((&tree, rows), Siblings::WithReplacement, logits, random)
    }

    /// Verifies a tree by rejection, as [`verify_stochastic`](Self::verify_stochastic): at each position
    /// the children are looked at in order. Each that is rejected has its distribution taken away from
    /// what is left of p, and the next one is compared with that. Where all are rejected a token comes
    /// from what is left in the end.
    ///
    /// `proposals` has one row for each position of the tree: what its children were drawn from; empty
    /// where it has none. That the distribution of plain decoding comes out holds if the children of a
    /// position were drawn from its row as `siblings` says, in their order, and none was taken away, or
    /// put in another order, for what it is: a tree that keeps only the likeliest of many nodes is for
    /// [`verify_tree`](Self::verify_tree).
    ///
    /// Source: Miao et al. 2023, `SpecInfer` (multi-step speculative sampling), for draws with
    /// replacement; Jeon et al. 2024, "Recursive Speculative Decoding", for draws without.
    ///
    /// # Errors
    ///
    /// As [`verify_stochastic`](Self::verify_stochastic).
    ///
    /// ```
    /// use grammask_gbnf::parse;
    /// use grammask_sampler::{
    ///     Candidate, Chain, Constraint, Dist, DraftTree, Engine, GrammarSampler, Mode, Mt19937,
    ///     Siblings, TokenId, Vocabulary,
    /// };
    ///
    /// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "b"]}"#)?);
    /// let constraint = Constraint::new(&engine, &parse("root ::= [ab]+")?, "root")?;
    /// let mut chain = Chain::new();
    /// chain.add(Dist::new(1));
    /// let mut sampler = GrammarSampler::new(constraint, chain, Mode::GrammarFirst);
    /// // Both tokens were drawn, one after the other: one of them comes true.
    /// let tree = DraftTree::new([(TokenId(0), None), (TokenId(1), None)])?;
    /// let row = [0, 1].map(|id| Candidate { id: TokenId(id), logit: 0.0, p: 0.5 });
    /// let (proposals, siblings) = ([&row[..], &[], &[]], Siblings::WithoutReplacement);
    /// let (logits, mut random) = ([[0.0, 1.0]; 3], Mt19937::new(7));
    /// let verified =
    ///     sampler.verify_tree_stochastic(&tree, &proposals, siblings, &logits, &mut random)?;
    /// assert_eq!((verified.tokens.len(), verified.nodes.len()), (2, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn verify_tree_stochastic<L: AsRef<[f32]>, Q: AsRef<[Candidate]>>(
        &mut self,
        tree: &DraftTree,
        proposals: &[Q],
        siblings: Siblings,
        logits: &[L],
        random: &mut impl Rng,
    ) -> Result<Verified, VerifyError> {
        if proposals.len() != tree.positions() {
            let (expected, given) = (tree.positions(), proposals.len());
            return Err(VerifyError::Proposals { expected, given });
        }
        let rows = proposals.iter().map(AsRef::as_ref).collect();
        self.verify_proposed((tree, rows), siblings, logits, random)
    }

    fn verify_proposed<L: AsRef<[f32]>>(
        &mut self,
        (tree, rows): (&DraftTree, Vec<&[Candidate]>),
        siblings: Siblings,
        logits: &[L],
        random: &mut impl Rng,
    ) -> Result<Verified, VerifyError> {
        self.check_rows(tree, logits)?;
        let mut proposal = Proposal::new(self.constraint().engine().vocabulary().len());
        let rejected = |proposal: &mut Proposal, token| {
            if siblings == Siblings::WithoutReplacement {
                proposal.remove(token);
            }
        };
        for (position, row) in rows.iter().enumerate() {
            let mut is_set = false;
            for node in tree.children(position) {
                if !is_set && !proposal.set(row) {
                    return Err(VerifyError::NoDistribution { position });
                }
                is_set = true;
                let token = tree.token(node);
                if proposal.p(token) <= 0.0 {
                    return Err(VerifyError::Impossible { node, token });
                }
                rejected(&mut proposal, token);
            }
        }
        let mut left = Residual::default();
        self.descend(|sampler, position| {
            sampler.target(logits[position].as_ref(), &mut left)?;
            proposal.set(rows[position]);
            for node in tree.children(position) {
                let token = tree.token(node);
                if uniform_f64(random) * proposal.p(token) < left.p(token) {
                    return Ok((token, Some(node)));
                }
                left.subtract(&proposal);
                rejected(&mut proposal, token);
            }
            let token = left.draw(uniform_f64(random)).ok_or(SampleError::NotSelected)?;
            Ok((token, None))
        })
    }

    /// What the next token is drawn from. The token that the chain selects has all of it where it is
    /// not known what the chain has drawn from: whatever the draft, that one comes out then.
    fn target(&mut self, logits: &[f32], target: &mut Residual) -> Result<(), SampleError> {
        let selected = self.sample(logits)?;
        let candidates = self.candidates().as_slice().iter();
        let weights = candidates.map(|candidate| (candidate.id, f64::from(candidate.p)));
        let is_known = self.mode() != Mode::Rejection && self.chain().draws();
        if !is_known || !target.set(weights) {
            target.set([(selected, 1.0)].into_iter());
        }
        Ok(())
    }

    /// Takes one token after the other, as long as they are those of nodes. `pick` says what comes at
    /// a position, and which node that is.
    fn descend(
        &mut self,
        mut pick: impl FnMut(&mut Self, usize) -> Result<(TokenId, Option<usize>), SampleError>,
    ) -> Result<Verified, VerifyError> {
        let mut verified = Verified::default();
        let mut position = 0;
        loop {
            let picked = pick(self, position).map_err(VerifyError::Sample).and_then(|picked| {
                self.accept(picked.0).map_err(VerifyError::Accept)?;
                Ok(picked)
            });
            let (token, node) = match picked {
                Ok(picked) => picked,
                Err(error) if verified.tokens.is_empty() => return Err(error),
                Err(_) => return Ok(verified),
            };
            verified.tokens.push(token);
            verified.nodes.extend(node);
            match node {
                Some(node) if !self.constraint().is_ended() => position = node + 1,
                _ => return Ok(verified),
            }
        }
    }

    /// A row of logits for each position, each as long as the vocabulary.
    fn check_rows<L: AsRef<[f32]>>(
        &self,
        tree: &DraftTree,
        logits: &[L],
    ) -> Result<(), VerifyError> {
        if logits.len() != tree.positions() {
            return Err(VerifyError::Rows { expected: tree.positions(), given: logits.len() });
        }
        let expected = self.constraint().engine().vocabulary().len();
        let mut lengths = logits.iter().map(|row| row.as_ref().len());
        match lengths.find(|&given| given != expected) {
            Some(given) => Err(SampleError::Logits { expected, given }.into()),
            None => Ok(()),
        }
    }
}

/// Why a draft could not be verified.
///
/// ```
/// use grammask_sampler::VerifyError;
///
/// let error = VerifyError::Rows { expected: 3, given: 2 };
/// assert_eq!(
///     error.to_string(),
///     "2 rows of logits for a draft with 3 positions: one before it, and one behind each token"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// Not a row of logits for each position.
    #[error(
        "{given} rows of logits for a draft with {expected} positions: one before it, and one behind \
         each token"
    )]
    Rows {
        /// Number of positions.
        expected: usize,
        /// Number of rows.
        given: usize,
    },
    /// Not as many distributions as a draft has tokens, or a tree positions.
    #[error("{given} distributions for a draft that needs {expected}")]
    Proposals {
        /// How many are needed.
        expected: usize,
        /// How many there are.
        given: usize,
    },
    /// Candidates whose `p` are no distribution.
    #[error(
        "what was drafted at position {position} is drawn from no distribution: each p has to be \
             finite and not below 0, and some above it"
    )]
    NoDistribution {
        /// The position.
        position: usize,
    },
    /// A drafted token that cannot have been drawn from the distribution of its position.
    #[error(
        "token {token}, node {node} of the draft, has no probability where it is said to be drawn"
    )]
    Impossible {
        /// The node.
        node: usize,
        /// Its token.
        token: TokenId,
    },
    /// No token could be sampled at the first position, or a row is not as long as the vocabulary.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// The first token could not be accepted: a sampler has selected what was not among the candidates.
    #[error(transparent)]
    Accept(#[from] ConstraintError),
}
