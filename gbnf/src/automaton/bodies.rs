//! Bodies of rules that are small terminals or conjunctions, known from one grammar to the next.
//!
//! Nearly all schemas have the same rules for numbers, characters and gaps, and many the same
//! formats. Such a body refers to nothing else, so its tree says all, and what has been found out
//! about it is looked up by a fingerprint of the tree among the terms that the grammars share.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::automaton::lower::TERMINAL_SIZE;
use crate::automaton::powers::Powers;
use crate::automaton::terms::{Fingerprint, TermId, Terms};
use crate::grammar::{Expr, ExprKind};

/// What is known of a body that is one terminal and matches some text.
#[derive(Debug)]
pub(crate) struct KnownBody {
    pub(crate) term: TermId,
    pub(crate) nullable: bool,
    /// Its nodes, as in [`crate::automaton::lower::Extent`].
    pub(crate) size: u32,
    pub(crate) has_wide_class: bool,
    pub(crate) is_conjunction: bool,
    /// If it is a number of matches of something else.
    pub(crate) powers: Option<Powers>,
}

/// The bodies that were met.
#[derive(Debug, Default)]
pub(crate) struct KnownBodies {
    /// With what is known of those that were met again: most are not.
    met: Mutex<FxHashMap<Fingerprint, Option<Arc<KnownBody>>>>,
    /// Some that grammars share.
    shared: Mutex<Vec<(Arc<Expr>, Fingerprint)>>,
}

/// What there is of a body.
pub(crate) enum Met {
    /// It has not been met, or is forgotten.
    Never,
    /// Nothing is known of it.
    Once,
    Known(Arc<KnownBody>),
}

/// So many are kept at most,
const MOST_BODIES: usize = 4_096;
/// of those that grammars share so many, among which one is looked for by where it lies.
const MOST_SHARED: usize = 32;
/// With fewer nodes a body is lowered as soon as looked up.
const LEAST_NODES: usize = 8;

impl Terms {
    /// The fingerprint of a body that may be known. That of one that other grammars share is kept, so that
    /// its tree is not read again.
    pub(crate) fn fingerprint_of_body(&self, body: &Arc<Expr>) -> Option<Fingerprint> {
        if Arc::strong_count(body) == 1 {
            return fingerprint(body);
        }
        self.known_of(|terms| terms.bodies.shared(body)).or_else(|| {
            let found = fingerprint(body)?;
            self.bodies.share(body, found);
            // It will be met again.
            self.bodies.meet(found);
            Some(found)
        })
    }

    /// What there was of a body before, which is met now.
    pub(crate) fn meet_body(&self, body: Fingerprint) -> Met {
        let frozen = self.frozen().map_or(Met::Never, |frozen| frozen.bodies.get(body));
        match frozen {
            Met::Known(_) => frozen,
            Met::Never => self.bodies.meet(body),
            Met::Once => match self.bodies.meet(body) {
                Met::Never => Met::Once,
                met => met,
            },
        }
    }
}

impl KnownBodies {
    fn shared(&self, body: &Arc<Expr>) -> Option<Fingerprint> {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.iter().find(|(known, _)| Arc::ptr_eq(known, body)).map(|&(_, found)| found)
    }

    fn share(&self, body: &Arc<Expr>, found: Fingerprint) {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if shared.len() < MOST_SHARED {
            shared.push((Arc::clone(body), found));
        }
    }

    /// What there is of a body.
    fn get(&self, body: Fingerprint) -> Met {
        match self.met.lock().unwrap_or_else(PoisonError::into_inner).get(&body) {
            Some(Some(known)) => Met::Known(Arc::clone(known)),
            Some(None) => Met::Once,
            None => Met::Never,
        }
    }

    /// The same; it has been met afterwards.
    fn meet(&self, body: Fingerprint) -> Met {
        let met = self.get(body);
        if let Met::Never = met {
            let mut bodies = self.met.lock().unwrap_or_else(PoisonError::into_inner);
            if bodies.len() >= MOST_BODIES {
                bodies.retain(|_, known| known.is_some());
            }
            if bodies.len() >= MOST_BODIES {
                bodies.clear();
            }
            bodies.insert(body, None);
        }
        met
    }

    /// Keeps what a body is that was met again.
    pub(crate) fn keep(&self, body: Fingerprint, known: KnownBody) {
        let mut bodies = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = bodies.get_mut(&body) {
            *entry = Some(Arc::new(known));
        }
    }
}

/// The fingerprint of a body that may be known. Whoever goes on behind a literal looks into it
/// where it stands, so that one that begins with it is not known as a whole.
fn fingerprint(body: &Expr) -> Option<Fingerprint> {
    // A conjunction is one terminal, however large it is.
    let most = match body.kind {
        ExprKind::Choice(_) | ExprKind::Repeat { .. } => TERMINAL_SIZE as usize,
        ExprKind::All(_) => usize::MAX,
        _ => return None,
    };
    let (mut found, mut nodes) = (Fingerprint::of_tree(), 0);
    let mut ahead = vec![body];
    // What is in a node is said with it, but for nodes that have parts themselves: each of those
    // follows in its turn. That is one tree only.
    while let Some(expr) = ahead.pop() {
        let (parts, more): (&[Expr], &[Expr]) = match &expr.kind {
            ExprKind::Sequence(items) => {
                found = found.list(0, items.len());
                (items, &[])
            }
            ExprKind::Choice(items) => {
                found = found.list(1, items.len());
                (items, &[])
            }
            ExprKind::Repeat { item, min, max } => {
                found = found.list(2, *min as usize).word(max.map_or(u64::MAX, u64::from));
                (std::slice::from_ref(item), &[])
            }
            ExprKind::All(both) => {
                found = found.list(8, both.all.len()).word(both.none.len() as u64);
                (&both.all, &both.none)
            }
            _ => return None,
        };
        nodes += parts.len() + more.len();
        if nodes > most {
            return None;
        }
        for part in parts.iter().chain(more) {
            found = match &part.kind {
                ExprKind::Literal(text) => found.list(3, 0).text(text.as_bytes()),
                ExprKind::Class(class) => class.ranges.iter().fold(
                    found.list(4 + u64::from(class.negated), class.ranges.len()),
                    |found, &(lo, hi)| found.word(u64::from(lo) << 32 | u64::from(hi)),
                ),
                ExprKind::Any => found.list(6, 0),
                _ => {
                    ahead.push(part);
                    found.list(7, 0)
                }
            };
        }
    }
    (nodes >= LEAST_NODES).then_some(found)
}
