//! What rig sends to a local model, and how it reads the reply.

use std::marker::PhantomData;

use grammask::agents::Event;
use grammask::sampler::ChainSettings;
use rig_core::completion::options::{
    FinalBody, Mapping, OptionFields, OptionMap, RawAt, request_params,
};
use rig_core::completion::{Accepts, CompletionRequest, FinishReason, Media, ReplayTarget, Usage};
use rig_core::error::{EncodeError, ProviderError};
use rig_core::message::Api;
use rig_core::operation::{Block, CallFragment, Completion, Finish};
use rig_core::wire::document::{Reassemble, Serves};
use rig_core::wire::{Decoder, Descriptor, Flow, Mode, Out, Wire, WireEvent};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The name of this provider in rig's records.
const PROVIDER: &str = "grammask";

/// The requests and replies of a local model, as plain data.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// The name of the model.
    pub model: String,
}

/// A request, and what its options mean to grammask.
pub struct Payload {
    pub(crate) request: CompletionRequest,
    pub(crate) settings: ChainSettings,
    /// Whether there may be several calls.
    pub(crate) parallel: bool,
}

/// What may be in `additional_params`, and where the options of rig arrive.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Params {
    seed: Option<u32>,
    top_k: Option<i32>,
    top_p: Option<f32>,
    min_p: Option<f32>,
    parallel_tool_calls: Option<bool>,
}

/// A part of a reply.
pub enum Frame {
    /// Content, reasoning or a part of a call.
    Event(Event),
    /// The end.
    End(Reply),
}

/// What is known of a reply when it is over: rig's `raw`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reply {
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Tokens of the answer, its end included.
    pub tokens: u64,
    /// Whether free text has used all of its tokens: there might have been more.
    pub cut: bool,
}

impl Wire for Local {
    type Op = Completion;
    type Payload = Payload;
    type Frame = Frame;
    type Decoder<'id> = Events<'id>;
    type Reassembler = Document;

    fn describe(&self) -> Descriptor<'_> {
        Descriptor::new(PROVIDER).model(self.model.as_str()).replay(self)
    }

    fn encode(&self, request: CompletionRequest, _: Mode) -> Result<Payload, EncodeError> {
        if let Some(other) = request.model.as_deref().filter(|name| *name != self.model) {
            let message = format!("there is no model {other:?} but {:?}", self.model);
            return Err(EncodeError::request(message));
        }
        let params: FinalBody = request_params(
            self,
            &request,
            |input| {
                let tools = input.raw_tools()?;
                let none = tools.is_empty().then(Map::new);
                none.ok_or_else(|| EncodeError::request("a local model has no hosted tools"))
            },
            RawAt::Top,
            &[],
        )?;
        let params: Params = params
            .deserialize()
            .map_err(|error| EncodeError::request(format!("additional_params: {error}")))?;
        let default = ChainSettings::default();
        let settings = ChainSettings {
            seed: params.seed.unwrap_or(default.seed),
            temperature: request.temperature.map_or(default.temperature, |it| it as f32),
            top_k: params.top_k.unwrap_or(default.top_k),
            top_p: params.top_p.unwrap_or(default.top_p),
            min_p: params.min_p.unwrap_or(default.min_p),
            ..default
        };
        Ok(Payload { request, settings, parallel: params.parallel_tool_calls.unwrap_or(true) })
    }

    fn decoder<'id>(&self) -> Events<'id> {
        Events(PhantomData)
    }
}

impl ReplayTarget for Local {
    fn api(&self) -> Api {
        Api::from_static("grammask.generate")
    }

    fn provider(&self) -> &str {
        PROVIDER
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn accepts(&self, _: &str) -> Accepts {
        Accepts::TEXT
    }

    fn encodes(&self, _: &str, _: Media<'_>) -> bool {
        false
    }

    fn map_options(&self, _: &CompletionRequest, fields: OptionFields<'_>) -> OptionMap {
        let OptionFields {
            reasoning,
            cache,
            service_tier,
            verbosity,
            parallel_tool_calls,
            top_p,
            seed,
            stop,
        } = fields;
        let none = || Mapping::unsupported("a local model has no such setting");
        OptionMap {
            reasoning: Mapping::of(reasoning, |_| none()),
            cache: Mapping::of(cache, |_| none()),
            service_tier: Mapping::of(service_tier, |_| none()),
            verbosity: Mapping::of(verbosity, |_| none()),
            parallel_tool_calls: Mapping::of(parallel_tool_calls, |parallel| {
                Mapping::Send(json!({ "parallel_tool_calls": parallel }))
            }),
            top_p: Mapping::of(top_p, |top_p| Mapping::Send(json!({ "top_p": top_p }))),
            seed: Mapping::of(seed, |seed| match u32::try_from(seed) {
                Ok(seed) => Mapping::Send(json!({ "seed": seed })),
                Err(_) => Mapping::unsupported(format!("a seed is at most {}", u32::MAX)),
            }),
            stop: Mapping::of_stop(stop, |_| none()),
        }
    }
}

/// Writes events of grammask as rig's content.
pub struct Events<'id>(PhantomData<fn(&'id ()) -> &'id ()>);

impl<'id> Decoder<'id, Completion, Frame> for Events<'id> {
    type Event = Frame;

    fn classify(&self, frame: Frame) -> WireEvent<Frame> {
        WireEvent::Known(frame)
    }

    fn decode(
        &mut self,
        frame: Frame,
        mut out: Out<'id, Completion>,
    ) -> Result<Flow, ProviderError> {
        let part = |id, name, arguments| CallFragment { id, name, arguments };
        match frame {
            Frame::Event(Event::Content { text }) => {
                out.run(Block::Text, &text)?;
            }
            Frame::Event(Event::Reasoning { text }) => {
                out.run(Block::Reasoning { redacted: false }, &text)?;
            }
            Frame::Event(Event::CallStart { index, name, id }) => {
                out.end_run()?;
                out.fragment(Some(index), part(id.as_deref(), Some(&name), None))?;
            }
            Frame::Event(Event::Arguments { index, delta }) => {
                out.fragment(Some(index), part(None, None, Some(&delta)))?;
            }
            Frame::Event(Event::CallEnd { index, id, .. }) => {
                out.fragment(Some(index), part(id.as_deref(), None, None))?;
                out.finish(index)?;
            }
            Frame::Event(Event::Error { text, reason, .. }) => {
                let message = format!("a malformed call: {reason}: {text:?}");
                return Err(ProviderError::Response(message));
            }
            Frame::End(reply) => {
                out.end_run()?;
                let (input, output) = (reply.prompt_tokens, reply.tokens);
                let usage = Usage::new().input_tokens(input).output_tokens(output);
                let usage = usage.total_tokens(input + output);
                let reason = if reply.cut { FinishReason::Length } else { FinishReason::Stop };
                return Ok(out.end(Finish { usage, reason: Some(reason), ..Finish::default() }));
            }
        }
        Ok(Flow::More)
    }
}

/// Keeps the [`Reply`].
#[derive(Default)]
pub struct Document(Option<Reply>);

impl Serves<Completion> for Document {}

impl Reassemble<Frame> for Document {
    fn absorb(&mut self, frame: &Frame) {
        if let Frame::End(reply) = frame {
            self.0 = Some(reply.clone());
        }
    }

    fn finish(self) -> Value {
        json!(self.0)
    }
}
