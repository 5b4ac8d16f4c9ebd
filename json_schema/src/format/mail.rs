//! Mailboxes: RFC 5321, section 4.1.2, and RFC 6531, section 3.3.

use super::{Result, address, host, idn, whole};
use crate::language::{Approximation, CharSet, LanguageId, Languages};
use crate::options::Notation;

pub(super) const NOTE: &str = "no label of a domain with `--` in the third place, so no A-label";
pub(super) const PLAIN_NOTE: &str = "no label of a domain with `--` in the third place, so no A-label; \
     what follows its second label has at most 61 characters";

/// The greatest number of octets of a local part (RFC 5321, section 4.5.3.1.1).
const LOCAL: u32 = 64;

/// A character of an address without such.
const ASCII: &str = "[ -~]";

/// What a local part may have beyond ASCII: `UTF8-non-ascii`.
const BEYOND: &str = r"\u{80}-\u{10FFFF}";

/// The texts of at most so many octets.
fn octets(languages: &mut Languages, most: u32) -> Result<LanguageId> {
    let spans = [('\0', '\u{7f}'), ('\u{80}', '\u{7ff}'), ('\u{800}', '\u{ffff}')];
    let mut by_octets = Vec::new();
    for span in spans.into_iter().chain([('\u{10000}', char::MAX)]) {
        by_octets.push(languages.class(CharSet::from_ranges([span]))?);
    }
    // By how many octets are left.
    let mut rests = vec![LanguageId::EMPTY];
    for _ in 0..most {
        let mut texts = vec![LanguageId::EMPTY];
        for (&character, &rest) in by_octets.iter().zip(rests.iter().rev()) {
            texts.push(languages.sequence([character, rest])?);
        }
        rests.push(languages.alt(texts)?);
    }
    Ok(rests[most as usize])
}

/// `Local-part` of not too many octets.
fn local_part(languages: &mut Languages, beyond: &str, octets: LanguageId) -> Result<LanguageId> {
    let atom = format!("[\\w!#$%&'*+/=?^`{{|}}~{beyond}-]+");
    let quoted = format!(r#""(?:[ !#-[\]-~{beyond}]|\\[ -~])*""#);
    let part = whole(languages, &format!(r"{atom}(?:\.{atom})*|{quoted}"))?;
    Ok(languages.and([part, octets])?)
}

/// `address-literal`. Besides `IPv6` no tag is registered for the general form.
fn address_literal() -> String {
    format!(r"\[(?:{}|[Ii][Pp][Vv]6:(?:{}))\]", address::ipv4(), address::ipv6_with_gap(2))
}

/// `Mailbox`
fn mailbox(
    languages: &mut Languages,
    local: LanguageId,
    names: LanguageId,
) -> Result<Approximation> {
    let at = languages.text("@")?;
    let literal = whole(languages, &address_literal())?;
    let domain = languages.alt([names, literal])?;
    let lower = languages.sequence([local, at, domain])?;
    Ok(Approximation { lower, upper: languages.pattern("@")? })
}

/// `email`: at most 254 characters (section 4.5.3.1.3: 256 with the brackets of a path).
pub(super) fn email(languages: &mut Languages, notation: Notation) -> Result<Approximation> {
    let octets = whole(languages, &format!("{ASCII}{{1,{LOCAL}}}"))?;
    let local = local_part(languages, "", octets)?;
    let names = host::ascii_names(languages, notation, 2)?;
    let mut mailbox = mailbox(languages, local, names)?;
    if notation == Notation::Extended {
        let lengths = whole(languages, &format!("{ASCII}{{1,254}}"))?;
        mailbox.lower = languages.and([mailbox.lower, lengths])?;
    }
    Ok(mailbox)
}

/// `idn-email`
pub(super) fn idn_email(languages: &mut Languages) -> Result<Approximation> {
    let octets = octets(languages, LOCAL)?;
    let local = local_part(languages, BEYOND, octets)?;
    let names = idn::names(languages, r"\.", 2)?;
    mailbox(languages, local, names)
}
