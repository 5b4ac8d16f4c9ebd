//! The grammar of a plan: what stands around arguments, and how calls follow one another.

use grammask_gbnf::{Expr, ExprKind, TokenName, TokenReference};

use super::rules::Rules;
use super::{Activation, Mark, Trigger, marks, object_start};
use crate::format::{Channels, Format, Id, Part};
use crate::tools::ToolError;

/// Puts the grammar of a plan together.
pub(super) struct Builder<'a> {
    pub(super) format: &'a Format,
    pub(super) is_control: &'a dyn Fn(&str) -> bool,
    /// Whether the grammar may have more than plain GBNF.
    pub(super) extended: bool,
    pub(super) rules: Rules,
    /// The tools with the rules of their arguments.
    pub(super) tools: Vec<(String, String)>,
}

impl Builder<'_> {
    /// The start rule, and when it comes into force.
    pub(super) fn root(
        &mut self,
        is_auto: bool,
        many: bool,
    ) -> Result<(Expr, Activation), ToolError> {
        let format = self.format;
        if let Some(channels) = &format.channels {
            return Ok((self.channels(channels, is_auto)?, Activation::Always));
        }
        if !format.begins_with.is_empty() {
            return Ok((self.blocks(is_auto, many)?, Activation::Always));
        }
        let call = self.call(&format.call, is_auto);
        let separator = self.texts(&format.separator);
        let lead = format.lead.as_ref().map(|lead| sequence(self.text(lead)).optional());
        let section = format.section.as_ref().filter(|section| many || !section.optional);
        let repeats = many && (section.is_some() || !is_auto);
        let (one, calls) = if repeats {
            self.rules.grammar.add("call", call);
            let call = Expr::reference("call");
            let more = sequence([separator, vec![call.clone()]].concat()).repeat(0, None);
            (call.clone(), vec![call, more])
        } else {
            (call.clone(), vec![call])
        };
        let all = match section {
            None => sequence(calls),
            Some(section) => {
                let open = self.begin(&section.open, is_auto);
                let close = self.texts(&section.close);
                let all = sequence([open, calls, close].concat());
                if section.optional { Expr::choice([all, one]) } else { all }
            }
        };
        let root = sequence(lead.into_iter().chain([all]).collect());
        if !is_auto {
            return Ok((root, Activation::Always));
        }
        let is_direct = section.is_none_or(|section| section.optional);
        let in_section = section.map(|section| [&section.open[..], &format.call].concat());
        let begins = in_section.iter().map(Vec::as_slice).chain(is_direct.then_some(&*format.call));
        let begins = begins.flat_map(|parts| format.openings(parts)).map(|(mark, _)| mark);
        let begins = format.lead.as_deref().into_iter().chain(begins);
        let only_at_start = format.only_at_start;
        let mut is_behind_text = false;
        let trigger = |text: &str| {
            // A token is seen at once, whatever text the format has before it.
            let pieces = marks(format, self.is_control, text);
            let token = pieces.iter().find(|piece| matches!(piece, Mark::Token(_)));
            is_behind_text |= token.is_some() && matches!(pieces.first(), Some(Mark::Text(_)));
            let mark = token.cloned().unwrap_or_else(|| Mark::Text(text.to_owned()));
            Trigger { mark, only_at_start }
        };
        let triggers = begins.map(trigger).collect();
        let root = if is_behind_text { without_first(root) } else { root };
        // In a section there are all calls.
        let again = many && section.is_none() && !only_at_start;
        Ok((root, Activation::OnTrigger { triggers, again }))
    }

    /// A call of any of the tools.
    fn call(&mut self, parts: &[Part], is_auto: bool) -> Expr {
        let of_tool = |part: &Part| !matches!(part, Part::Text(_));
        let start = parts.iter().position(of_tool).unwrap_or(0);
        let end = parts.iter().rposition(of_tool).map_or(parts.len(), |at| at + 1);
        let mut call = self.begin(&parts[..start], is_auto);
        let tools = std::mem::take(&mut self.tools);
        let object = self.format.object.as_ref();
        // What all begin and end with stands once, outside.
        if let ([Part::Object], Some(keys)) = (&parts[start..end], object) {
            call.push(Expr::literal(object_start(keys)));
        }
        let cases = tools.iter().map(|(name, rule)| self.tool(&parts[start..end], name, rule));
        call.push(Expr::choice(cases.collect::<Vec<_>>()));
        self.tools = tools;
        call.extend(self.texts(&parts[end..]));
        sequence(call)
    }

    /// What a call has of one tool.
    fn tool(&self, parts: &[Part], name: &str, rule: &str) -> Expr {
        let mut items = Vec::new();
        for part in parts {
            match part {
                Part::Text(text) => items.extend(self.text(text)),
                Part::Name => items.push(Expr::literal(name.to_owned())),
                Part::Id => items.push(self.id()),
                Part::Index => items.push(Expr::choice([
                    Expr::literal("0"),
                    sequence(vec![
                        Expr::class([('1', '9')]),
                        Expr::class([('0', '9')]).repeat(0, Some(5)),
                    ]),
                ])),
                Part::Arguments => items.push(Expr::reference(rule.to_owned())),
                Part::Object => {
                    let Some(keys) = &self.format.object else { continue };
                    let arguments = &keys.arguments;
                    items.push(Expr::literal(format!("{name}\", \"{arguments}\": ")));
                    items.push(Expr::reference(rule.to_owned()));
                    if let Some(id) = &keys.id {
                        items.push(Expr::literal(format!(", \"{id}\": \"")));
                        items.push(self.id());
                        items.push(Expr::literal("\""));
                    }
                    items.push(Expr::literal("}"));
                }
            }
        }
        sequence(items)
    }

    fn id(&self) -> Expr {
        let length = match self.format.id {
            Some(Id::Alphanumeric(length)) => length,
            _ => 1,
        };
        Expr::class([('0', '9'), ('A', 'Z'), ('a', 'z')]).repeat(length, Some(length))
    }

    /// What stands before a call or a section. With a trigger the first mark need not be there, if
    /// models leave it out at times.
    fn begin(&self, parts: &[Part], is_auto: bool) -> Vec<Expr> {
        let openings = self.format.openings(parts);
        let behind = match &openings[..] {
            [_, (_, behind), ..] if is_auto => behind.len(),
            [(mark, _)] if is_auto && self.format.is_optional(mark) => 0,
            _ => return self.texts(parts),
        };
        let (first, rest) = parts.split_at(parts.len() - behind);
        [vec![sequence(self.texts(first)).optional()], self.texts(rest)].concat()
    }

    fn texts(&self, parts: &[Part]) -> Vec<Expr> {
        let texts = parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(self.text(text)),
            _ => None,
        });
        texts.flatten().collect()
    }

    /// A text of the format, in which control tokens of the vocabulary are references to these.
    fn text(&self, text: &str) -> Vec<Expr> {
        let pieces = marks(self.format, self.is_control, text);
        let exprs = pieces.into_iter().map(|piece| match piece {
            Mark::Text(text) => Expr::literal(text.clone()),
            Mark::Token(token) => Expr::new(ExprKind::Token(TokenReference {
                negated: false,
                token: TokenName::Text(token),
            })),
        });
        exprs.collect()
    }

    /// Any text without these marks, as far as they are no tokens, and without these ends.
    fn free_text(&self, marks: &[&str], ends: &[&str]) -> Result<Expr, ToolError> {
        let any = || Expr::new(ExprKind::Any).repeat(0, None);
        let texts: Vec<&str> =
            marks.iter().copied().filter(|mark| !(self.is_control)(mark)).collect();
        if texts.is_empty() {
            return Ok(any());
        }
        if !self.extended {
            return Err(ToolError::Notation { format: self.format.name().to_owned() });
        }
        let having = texts
            .into_iter()
            .map(|text| sequence(vec![any(), Expr::literal(text.to_owned()), any()]));
        let ending = ends.iter().map(|end| sequence(vec![any(), Expr::literal((*end).to_owned())]));
        Ok(Expr::all([any()], having.chain(ending)))
    }

    /// Blocks of content and calls, of which the prompt has the first mark.
    fn blocks(&mut self, is_auto: bool, many: bool) -> Result<Expr, ToolError> {
        let format = self.format;
        let call = self.call(&format.call[1..], is_auto);
        self.rules.grammar.add("call", call);
        let call = Expr::reference("call");
        let mark = self.text(&format.begins_with);
        let behind_mark = |item: Expr| sequence([mark.clone(), vec![item]].concat());
        let more_calls = behind_mark(call.clone()).repeat(0, if many { None } else { Some(0) });
        let calls = if many { sequence(vec![call, more_calls]) } else { call };
        let name = format.content_name.as_deref().unwrap_or_default();
        if !is_auto {
            return Ok(calls);
        }
        let content = |text: Expr| sequence(vec![Expr::literal(format!("{name}\n")), text]);
        let last = content(self.free_text(&[&format.begins_with], &[])?);
        let before_mark = overlaps(&format.begins_with);
        let before = content(self.free_text(&[&format.begins_with], &before_mark)?);
        let then_calls = sequence(vec![before, behind_mark(calls.clone())]);
        Ok(Expr::choice([last, then_calls, calls]))
    }

    /// Messages in channels: reasoning and content for the user, then a call or the answer.
    fn channels(&mut self, channels: &Channels, is_auto: bool) -> Result<Expr, ToolError> {
        let texts = |this: &Self, all: &[&str]| -> Vec<Expr> {
            all.iter().flat_map(|text| this.text(text)).collect()
        };
        let text = self.free_text(&channels.ends(), &[])?;
        let message = |this: &Self, channel: &str| {
            let mut message = texts(this, &[&channels.channel, channel, &channels.message]);
            message.push(text.clone());
            message
        };
        let next = texts(self, &[&channels.end, &channels.start, &channels.role]);
        let before = [&channels.reasoning, &channels.call_channel]
            .map(|channel| sequence([message(self, channel), next.clone()].concat()));
        self.rules.grammar.add("message", Expr::choice(before));
        let channel = texts(self, &[&channels.channel, &channels.call_channel]);
        let recipient = vec![Expr::literal(format!(" to={}", channels.recipient))];
        let constrained = sequence(texts(self, &[" ", &channels.constrain, &channels.type_]));
        let type_ = Expr::choice([constrained, Expr::literal(format!(" {}", channels.type_))]);
        let type_ = [vec![type_], texts(self, &[&channels.message])].concat();
        // The recipient stands behind the channel, or in the role before it.
        let orders = [(&[][..], &channel[..]), (&channel[..], &[][..])].map(|(behind, before)| {
            let tools = self.tools.iter().map(|(name, rule)| {
                let (name, rule) = ([Expr::literal(name.clone())], [Expr::reference(rule.clone())]);
                sequence([&name[..], behind, &type_, &rule].concat())
            });
            let tools = Expr::choice(tools.collect::<Vec<_>>());
            sequence([before, &recipient, &[tools]].concat())
        });
        let mut call = vec![Expr::choice(orders)];
        // The token that ends the output may be no part of it.
        call.push(sequence(self.text(&channels.call)).optional());
        let mut last = vec![sequence(call)];
        if is_auto {
            let mut answer = message(self, &channels.content);
            answer.push(sequence(self.text(&channels.return_)).optional());
            last.push(sequence(answer));
        }
        Ok(sequence(vec![Expr::reference("message").repeat(0, None), Expr::choice(last)]))
    }
}

/// With what a text cannot end before a mark, as the mark would begin there: `>` before `>>>`.
fn overlaps(mark: &str) -> Vec<&str> {
    let places = mark.char_indices().map(|(at, _)| at).skip(1);
    places.filter(|&at| mark.starts_with(&mark[at..])).map(|at| &mark[..at]).collect()
}

/// A sequence without its first item.
fn without_first(root: Expr) -> Expr {
    match root.kind {
        ExprKind::Sequence(items) => Expr::sequence(items.into_iter().skip(1)),
        _ => Expr::empty(),
    }
}

/// One after the other, in canonical shape: flat, with neighbouring texts in one.
pub(super) fn sequence(items: Vec<Expr>) -> Expr {
    let mut flat: Vec<Expr> = Vec::new();
    let mut pending: Vec<Expr> = items.into_iter().rev().collect();
    while let Some(item) = pending.pop() {
        match item.kind {
            ExprKind::Sequence(parts) => pending.extend(parts.into_iter().rev()),
            ExprKind::Literal(text) => match flat.last_mut().map(|last| &mut last.kind) {
                Some(ExprKind::Literal(before)) => before.to_mut().push_str(&text),
                _ => flat.push(Expr::literal(text)),
            },
            kind => flat.push(Expr::new(kind)),
        }
    }
    Expr::sequence(flat)
}
