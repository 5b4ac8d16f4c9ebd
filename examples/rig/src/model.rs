//! The model behind the requests: rig's transport is the model itself.

use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};

use futures::stream;
use grammask::LanguageModel;
use grammask::sampler::Engine;
use rig_core::Model;
use rig_core::driver::{Exchange, Opened, Opening, Transport};
use rig_core::error::ProviderError;
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::task::spawn_blocking;

use crate::turn::Turn;
use crate::wire::{Frame, Local, Payload, Reply};

/// A model that runs in this process and answers one request after the other; clones are the same
/// model. It needs a runtime of tokio.
///
/// ```
/// use grammask::RandomModel;
/// use grammask::sampler::{Engine, Vocabulary};
/// use grammask_rig::LocalModel;
/// use rig_core::completion::CompletionRequest;
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let engine = Engine::new(Vocabulary::from_name("r50k_base")?);
/// let model = LocalModel::new(&engine, RandomModel::new(&engine, 1)).completion("random");
/// let schema = schemars::json_schema!({"enum": ["yes", "no"]});
/// let request = CompletionRequest::new("Shall we?").output_schema(schema).max_tokens(10);
/// let answer = model.call(request).await?.text();
/// assert!(answer == "\"yes\"" || answer == "\"no\"");
/// # Ok(())
/// # }
/// ```
pub struct LocalModel<M> {
    engine: Arc<Engine>,
    model: Arc<Mutex<M>>,
}

impl<M> Clone for LocalModel<M> {
    fn clone(&self) -> Self {
        Self { engine: Arc::clone(&self.engine), model: Arc::clone(&self.model) }
    }
}

impl<M: LanguageModel + Send + 'static> LocalModel<M> {
    /// A model over the vocabulary of an engine.
    pub fn new(engine: &Arc<Engine>, model: M) -> Self {
        Self { engine: Arc::clone(engine), model: Arc::new(Mutex::new(model)) }
    }

    /// What agents and extractors of rig take.
    pub fn completion(&self, name: &str) -> Model<Local, Self> {
        Model::new(Local { model: name.to_owned() }, self.clone())
    }

    /// Writes until the constraint is at its end, which it is within its budget, or nobody listens.
    fn write(&self, turn: Turn, frames: &UnboundedSender<Sent>) -> Result<(), ProviderError> {
        let Turn { prompt, mut session, any_text } = turn;
        let (prompt_tokens, mut tokens) = (prompt.len(), prompt);
        let send = |event| frames.send(Ok(Frame::Event(event))).is_ok();
        let may_end = !self.engine.vocabulary().eog_ids().is_empty();
        // What a model says goes by the tokens alone, whatever became of the request before.
        let mut model = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over = loop {
            let constraint = session.constraint();
            let is_over = constraint.budget() == Some(0);
            if is_over || constraint.is_ended() || !may_end && constraint.is_finished() {
                break is_over;
            }
            let logits = model.logits(&tokens).map_err(|error| failed(&error))?;
            let token = session.sample(logits).map_err(|error| failed(&error))?;
            session.accept(token).map_err(|error| failed(&error))?;
            tokens.push(token);
            if frames.is_closed() || !session.events().into_iter().all(send) {
                return Ok(());
            }
        };
        session.last_events().into_iter().all(send);
        let (prompt_tokens, all) = (prompt_tokens as u64, tokens.len() as u64);
        // Between calls a constraint has no matcher; there text ends where the budget does.
        let cut = is_over && (any_text || session.constraint().matcher().is_none());
        let reply = Reply { prompt_tokens, tokens: all - prompt_tokens, cut };
        let _ = frames.send(Ok(Frame::End(reply)));
        Ok(())
    }
}

type Sent = Result<Frame, ProviderError>;

fn failed(error: &dyn Display) -> ProviderError {
    ProviderError::Provider(error.to_string())
}

impl<M: LanguageModel + Send + 'static> Transport<Local> for LocalModel<M> {
    /// A refused request does not open; a failing model is the last frame.
    fn send(&self, payload: Payload, _: Exchange) -> Opening<Frame> {
        let (local, engine) = (self.clone(), Arc::clone(&self.engine));
        Opening::new(async move {
            let turn = spawn_blocking(move || Turn::new(&engine, &payload)).await;
            let turn = turn.map_err(|error| failed(&error))??;
            // As long as the budget at most.
            let (sender, mut receiver) = mpsc::unbounded_channel();
            spawn_blocking(move || {
                if let Err(error) = local.write(turn, &sender) {
                    let _ = sender.send(Err(error));
                }
            });
            Ok(Opened::new(stream::poll_fn(move |context| receiver.poll_recv(context))))
        })
    }
}
