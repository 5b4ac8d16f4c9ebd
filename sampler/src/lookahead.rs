//! What a configuration allows: a look at all tokens from one state on.

use std::borrow::Borrow;
use std::ptr;
use std::sync::Arc;

use grammask_gbnf::{Entry, Label, Session, State};
use smallvec::SmallVec;

use crate::cores::{Cores, SHARED_BY};
use crate::declared::DeclaredMemo;
use crate::departures::Departure;
use crate::engine::Engine;
use crate::frames::{Exits, FrameMemo};
use crate::generations::Footprint;
use crate::interior::{Interior, Iterations};
use crate::look::Looks;
use crate::mask::{MaskBuffer, TokenMask};
use crate::token_id::TokenId;
use crate::token_set::{Found, SpareLists, TokenSet};
use crate::trie::TokenTrie;
use crate::values::ValueMemo;

/// What a look ahead goes by.
pub(crate) struct Lookahead<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) session: &'a mut Session,
    pub(crate) memo: &'a mut LookaheadMemo,
    /// What tables have said that is still to be followed up.
    pub(crate) departures: Vec<Departure>,
    /// The same frame by frame, where that can be told.
    pub(crate) exits: Option<Exits>,
    /// Where all that is being found goes by an assumption on keys: how often those before it had
    /// failed ([`Session::missed_keys`]).
    pub(crate) assumed: Option<u64>,
    /// The tokens for which the assumption says too little: they are looked at for themselves.
    pub(crate) open: Vec<TokenId>,
    /// The same for those that depend on items that have been forgotten ([`Session::step_unless_item`]).
    pub(crate) open_items: Vec<TokenId>,
    /// Whether no tables are used: all that may be read is walked through byte by byte, with all
    /// configurations at once.
    pub(crate) is_plain: bool,
}

/// What looks ahead have found in a session that later ones need as well.
#[derive(Debug, Default)]
pub(crate) struct LookaheadMemo {
    pub(crate) values: ValueMemo,
    pub(crate) declared: DeclaredMemo,
    pub(crate) frames: FrameMemo,
    pub(crate) looks: Looks,
    pub(crate) cores: Cores,
    pub(crate) spare: SpareLists,
}

impl<'a> Lookahead<'a> {
    pub(crate) fn new(
        engine: &'a Engine,
        session: &'a mut Session,
        memo: &'a mut LookaheadMemo,
    ) -> Self {
        Self {
            engine,
            session,
            memo,
            departures: Vec::new(),
            exits: None,
            assumed: None,
            open: Vec::new(),
            open_items: Vec::new(),
            is_plain: false,
        }
    }

    /// Some tokens are left open.
    pub(crate) fn leave_open(&mut self, tokens: impl IntoIterator<Item = TokenId>) {
        let open = if self.assumed.is_some() { &mut self.open } else { &mut self.open_items };
        open.extend(tokens);
    }

    /// The mask of a configuration; `start` is the state with only that.
    pub(crate) fn entry_mask(&mut self, start: &State, entry: Entry) -> EntryMask {
        let (engine, vocabulary) = (self.engine, self.engine.vocabulary());
        let mut found = Found::with_spare(vocabulary.len(), &mut self.memo.spare);
        let mut bases = match entry.label {
            label if self.is_plain && !matches!(label, Label::Token(_)) => {
                self.walk_on(TokenTrie::ROOT, start, &mut found);
                Bases::new()
            }
            Label::Term(_) | Label::Counted { .. } | Label::Text { .. } => {
                let base = self.by_table(TokenTrie::ROOT, start, entry, &mut found);
                if base.is_none() && self.exits.is_some() {
                    self.walk_alone(TokenTrie::ROOT, entry, &mut found);
                } else if base.is_none() {
                    self.walk_on(TokenTrie::ROOT, start, &mut found);
                }
                base.into_iter().collect()
            }
            Label::Key { .. } => self.key(TokenTrie::ROOT, start, entry, &mut found),
            Label::Item { .. } | Label::ItemEnd { .. } => Bases::new(),
            Label::Token(token) => {
                let reference = self.session.token(token);
                if reference.negated {
                    found.extend(vocabulary.ids().filter(|&id| {
                        vocabulary.bytes(id).is_some() && engine.means(reference, id)
                    }));
                } else {
                    found.extend(
                        engine.resolve(reference).filter(|&token| engine.means(reference, token)),
                    );
                }
                Bases::new()
            }
        };
        self.depart(&mut found);
        self.go_out(&mut found);
        if let Some(exits) = &mut self.exits {
            bases.into_iter().for_each(|base| exits.add_base(base));
            bases = exits.take_bases();
        }
        let more = found.into_set_sparing(&mut self.memo.spare);
        let mut open = std::mem::take(&mut self.open_items);
        // Those that begin alike stand together.
        open.sort_unstable_by_key(|&token| vocabulary.bytes(token));
        open.dedup();
        EntryMask { bases, open: open.into(), ..EntryMask::from(more) }
    }
}

/// Tables of which tokens are allowed: mostly one.
pub(crate) type Bases = SmallVec<[Base; 1]>;

/// How many bytes tables take that do not lie where they are held.
pub(crate) fn spilled_bytes(bases: &Bases) -> usize {
    if bases.spilled() { size_of_val(&**bases) } else { 0 }
}

/// The mask of one configuration.
#[derive(Clone, Debug)]
pub(crate) struct EntryMask {
    /// The tokens that stay inside the terminal, where tables have them.
    bases: Bases,
    /// All others.
    more: TokenSet,
    /// Those of them that are not allowed after all.
    without: TokenSet,
    /// Some that are allowed besides.
    besides: TokenSet,
    /// Some of which that is not known: they depend on items that have been forgotten.
    pub(crate) open: Box<[TokenId]>,
}

impl From<TokenSet> for EntryMask {
    fn from(tokens: TokenSet) -> Self {
        Self {
            bases: Bases::new(),
            more: tokens,
            without: TokenSet::default(),
            besides: TokenSet::default(),
            open: Box::default(),
        }
    }
}

impl EntryMask {
    /// The same but for some tokens.
    pub(crate) fn without(&self, without: &TokenSet, len: usize) -> Self {
        let mut all = Found::new(len);
        all.add(&self.without);
        all.add(without);
        Self { without: all.into_set(), ..self.clone() }
    }

    /// The same, with what it has in common with others as a core.
    pub(crate) fn sharing(mut self, cores: &mut Cores) -> Self {
        let (core, besides) = cores.share(self.more);
        self.bases.extend(core.map(Base::Core));
        self.more = besides;
        self
    }

    /// The same without some tokens, and with some others, none of which are open any more.
    pub(crate) fn compared(&self, without: &TokenSet, besides: TokenSet, len: usize) -> Self {
        let mut compared = self.without(without, len);
        if !compared.without.is_empty() {
            compared.without = compared.without.minus(&besides.to_mask(len));
        }
        Self { besides, open: Box::default(), ..compared }
    }

    /// Those of some sorted tokens that are allowed by nothing but the table of a loop; nothing if it is not
    /// made of that.
    pub(crate) fn only_in(
        &self,
        table: &Arc<Iterations>,
        mut tokens: Vec<TokenId>,
    ) -> Option<Vec<TokenId>> {
        let is_table =
            |base: &&Base| matches!(base, Base::Iterations(other) if Arc::ptr_eq(other, table));
        self.bases.iter().find(is_table)?;
        let others = self.bases.iter().filter(|base| !is_table(base));
        let more = self.sets().filter_map(TokenSet::mask);
        for mask in others.clone().filter_map(Base::mask).chain(more) {
            tokens.retain(|&token| !mask.contains(token));
        }
        let mut listed = vec![false; tokens.len()];
        for token in others.flat_map(Base::tokens).chain(self.sets().flat_map(TokenSet::tokens)) {
            if let Ok(at) = tokens.binary_search(token) {
                listed[at] = true;
            }
        }
        let mut listed = listed.into_iter();
        tokens.retain(|_| listed.next() == Some(false));
        Some(tokens)
    }

    /// Makes a mask what some of them have together, of a vocabulary of `len` ids.
    pub(crate) fn unite(all: &[Arc<Self>], len: usize, mask: &mut (impl MaskBuffer + ?Sized)) {
        if let [only] = all {
            Self::unite_whole(all, mask);
            only.without.mask().into_iter().for_each(|without| mask.take_out_all(without));
            return only.without.tokens().iter().for_each(|&token| mask.take_out(token));
        }
        // What one is without another one may have.
        let (whole, others): (SmallVec<[&Arc<Self>; 8]>, SmallVec<[_; 8]>) =
            all.iter().partition(|some| some.without.is_empty());
        Self::unite_whole(&whole, mask);
        for &some in &others {
            let mut own = TokenMask::new(len);
            Self::unite(std::slice::from_ref(some), len, &mut own);
            mask.unite(&own);
        }
    }

    /// The same, whatever they are without.
    fn unite_whole(all: &[impl Borrow<Arc<Self>>], mask: &mut (impl MaskBuffer + ?Sized)) {
        let all = || all.iter().map(Borrow::borrow);
        let mut masks: SmallVec<[&TokenMask; 8]> = SmallVec::new();
        for more in all().flat_map(|some| some.masks()) {
            // Configurations mostly differ in what lies below the same terminal.
            if !masks.iter().any(|&known| ptr::eq(known, more)) {
                masks.push(more);
            }
        }
        let mut masks = masks.into_iter();
        mask.assign(masks.next());
        masks.for_each(|more| mask.unite(more));
        all().flat_map(|some| some.tokens()).for_each(|token| mask.add(token));
    }

    /// The masks of which it is made, besides some tokens.
    fn masks(&self) -> impl Iterator<Item = &TokenMask> {
        let more = self.sets().filter_map(TokenSet::mask);
        self.bases.iter().filter_map(Base::mask).chain(more)
    }

    /// What is allowed besides the tokens of tables.
    fn sets(&self) -> impl Iterator<Item = &TokenSet> {
        [&self.more, &self.besides].into_iter()
    }

    /// These tokens.
    fn tokens(&self) -> impl Iterator<Item = TokenId> + '_ {
        let more = self.sets().flat_map(TokenSet::tokens);
        self.bases.iter().flat_map(Base::tokens).chain(more).copied()
    }
}

impl Footprint for EntryMask {
    fn bytes(&self) -> usize {
        let bases = self.bases.iter().map(|base| match base {
            Base::Interior(_) | Base::Iterations(_) => 0,
            Base::Some(tokens) => tokens.bytes(),
            Base::Core(mask) => mask.bytes() / SHARED_BY,
        });
        spilled_bytes(&self.bases)
            + bases.sum::<usize>()
            + self.sets().map(TokenSet::bytes).sum::<usize>()
            + self.without.bytes()
            + size_of_val(&*self.open)
    }
}

/// Tokens that a table has.
#[derive(Clone, Debug)]
pub(crate) enum Base {
    Interior(Arc<Interior>),
    Iterations(Arc<Iterations>),
    /// The tokens of a loop that begin not too many iterations.
    Some(TokenSet),
    /// What masks have in common.
    Core(Arc<TokenMask>),
}

impl Base {
    /// The tokens as a mask, if they are one.
    pub(crate) fn mask(&self) -> Option<&TokenMask> {
        match self {
            Self::Interior(table) => table.inside.mask(),
            Self::Iterations(table) => table.inside.mask(),
            Self::Some(tokens) => tokens.mask(),
            Self::Core(mask) => Some(mask),
        }
    }

    /// The tokens, if they are a list.
    fn tokens(&self) -> &[TokenId] {
        match self {
            Self::Interior(table) => table.inside.tokens(),
            Self::Iterations(table) => table.inside.tokens(),
            Self::Some(tokens) => tokens.tokens(),
            Self::Core(_) => &[],
        }
    }

    /// Where it lies, which no other does as long as it is there.
    pub(crate) fn address(&self) -> usize {
        match self {
            Self::Interior(table) => Arc::as_ptr(table).addr(),
            Self::Iterations(table) => Arc::as_ptr(table).addr(),
            Self::Some(tokens) => tokens.address(),
            Self::Core(mask) => Arc::as_ptr(mask).addr(),
        }
    }

    pub(crate) fn add_to_found(&self, found: &mut Found) {
        self.mask().into_iter().for_each(|mask| found.add_mask(mask));
        found.extend(self.tokens().iter().copied());
    }
}
