//! A session against one that nothing was ever taken back from.

use grammask::agents::Event;
use grammask::sampler::{ChainSettings, Engine, Mode, PenaltySettings, TokenId, Vocabulary};
use grammask::{RollbackError, Session, grammar_constraint};
use proptest::prelude::*;

/// Words, single letters and halves of characters.
const TOKENS: &str = r#"{"tokens": ["a", "b", "ab", "ba", {"hex": "c3"}, {"hex": "a9"},
    "é", "a!", "!", "</s>"], "eog": [9]}"#;

fn session(mode: Mode) -> Session {
    let engine = Engine::new(Vocabulary::from_json(TOKENS).expect("it is a vocabulary"));
    let grammar = r#"root ::= ([ab]{2,3} "é"?)* "!""#;
    let constraint = grammar_constraint(&engine, grammar, "root").expect("it is a grammar");
    let penalties = PenaltySettings { repeat: 1.4, ..PenaltySettings::default() };
    let settings = ChainSettings { penalties, seed: 5, ..ChainSettings::default() };
    let chain = settings.chain(engine.vocabulary()).expect("it is a chain");
    Session::new(constraint, chain, mode)
}

fn mask(session: &Session) -> u32 {
    let mut words = [u32::MAX; 2];
    session.mask_into(&mut words);
    assert_eq!(words[1], 0);
    words[0]
}

/// The text of events that are all content.
fn content(events: Vec<Event>) -> String {
    let text = events.into_iter().map(|event| match event {
        Event::Content { text } => text,
        other => panic!("{other:?}"),
    });
    text.collect()
}

#[derive(Clone, Debug)]
enum Deed {
    /// The tokens that may come are counted from here.
    Accept(u32),
    Try(Vec<u32>),
    Rollback(usize),
    Events,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let deed = prop_oneof![
        6 => any::<u32>().prop_map(Deed::Accept),
        1 => prop::collection::vec(0_u32..10, 0..4).prop_map(Deed::Try),
        2 => (0_usize..6).prop_map(Deed::Rollback),
        2 => Just(Deed::Events),
    ];
    prop::collection::vec(deed, 0..40)
}

proptest! {
    #[test]
    fn what_is_taken_back_never_came(deeds in deeds()) {
        let mut session = session(Mode::GrammarFirst);
        for deed in deeds {
            match deed {
                Deed::Accept(choice) => {
                    let allowed: Vec<u32> = (0..10).filter(|id| mask(&session) >> id & 1 == 1).collect();
                    let Some(&id) = allowed.get(choice as usize % allowed.len().max(1)) else { continue };
                    session.accept(TokenId(id)).expect("the mask has it");
                }
                Deed::Try(ids) => {
                    let before = session.tokens().len();
                    let tokens: Vec<TokenId> = ids.into_iter().map(TokenId).collect();
                    let accepted = session.try_accept_n(&tokens);
                    prop_assert_eq!(&session.tokens()[before..], &tokens[..accepted]);
                    prop_assert!(tokens.get(accepted).is_none_or(|id| mask(&session) >> id.0 & 1 == 0));
                }
                Deed::Rollback(tokens) => {
                    let all = session.tokens().len();
                    let (left, expected) = match all.checked_sub(tokens) {
                        Some(left) => (left, Ok(())),
                        None => (all, Err(RollbackError { tokens, most: all, all })),
                    };
                    prop_assert_eq!(session.rollback(tokens), expected);
                    prop_assert_eq!(session.tokens().len(), left);
                }
                Deed::Events => _ = session.events(),
            }
        }
        let mut fresh = self::session(Mode::GrammarFirst);
        prop_assert_eq!(fresh.try_accept_n(session.tokens()), session.tokens().len());
        prop_assert_eq!(mask(&fresh), mask(&session));
        prop_assert_eq!(fresh.is_complete(), session.is_complete());
        prop_assert_eq!(fresh.is_finished(), session.is_finished());
        // What has been read is not read again, and what comes is whole.
        fresh.events();
        session.events();
        while !session.is_finished() {
            let Some(id) = (0..10).rfind(|id| mask(&session) >> id & 1 == 1) else { break };
            session.accept(TokenId(id)).expect("the mask has it");
            fresh.accept(TokenId(id)).expect("it is the same");
        }
        prop_assert_eq!(session.last_events(), fresh.last_events());
        prop_assert_eq!(session.last_events(), []);
    }

    #[test]
    fn events_are_the_text(deeds in prop::collection::vec((any::<u32>(), any::<bool>()), 0..30)) {
        let mut session = session(Mode::GrammarFirst);
        let (mut said, mut bytes) = (String::new(), Vec::new());
        for (choice, is_read) in deeds {
            let allowed: Vec<u32> = (0..9).filter(|id| mask(&session) >> id & 1 == 1).collect();
            let Some(&id) = allowed.get(choice as usize % allowed.len().max(1)) else { break };
            session.accept(TokenId(id)).expect("the mask has it");
            bytes.extend_from_slice(
                session.constraint().engine().vocabulary().bytes(TokenId(id)).expect("it has a text"),
            );
            if is_read {
                said += &content(session.events());
            }
            prop_assert!(String::from_utf8_lossy(&bytes).starts_with(&said));
        }
        said += &content(session.last_events());
        prop_assert_eq!(said, String::from_utf8_lossy(&bytes));
    }
}

/// A chain goes on as if nothing had been taken back, but for its random numbers.
#[test]
fn penalties_go_back() {
    for mode in [Mode::GrammarFirst, Mode::Rejection, Mode::Exact] {
        let mut session = session(mode);
        session.accept_prompt(TokenId(0));
        let tokens = [2, 1].map(TokenId);
        assert_eq!(session.try_accept_n(&tokens), 2);
        let before = session.clone();
        assert_eq!(session.try_accept_n(&[TokenId(0), TokenId(2)]), 2);
        session.rollback(2).expect("two have come");
        let logits = [1.0; 10];
        let left = |mut session: Session| {
            session.sample(&logits).expect("something may come");
            (0..20).map(|_| session.sample(&logits).expect("something may come")).max()
        };
        assert_eq!(left(session.clone()), left(before));
        assert_eq!(session.rollback(3), Err(RollbackError { tokens: 3, most: 2, all: 2 }));
    }
}
