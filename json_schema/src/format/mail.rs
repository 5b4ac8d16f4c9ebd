//! Mailboxes: RFC 5321, section 4.1.2.

use super::{Result, address, host, whole};
use crate::language::{Approximation, LanguageId, Languages};

pub(super) const NOTE: &str = "no label of a domain with `--` in the third place, so no A-label; \
                               what follows its second label has at most 61 characters";

/// `Local-part`: at most 64 octets (section 4.5.3.1.1).
fn local_part(languages: &mut Languages) -> Result<LanguageId> {
    let atom = r"[\w!#$%&'*+/=?^`{|}~-]+";
    let quoted = r#""(?:[ !#-[\]-~]|\\[ -~])*""#;
    let part = whole(languages, &format!(r"{atom}(?:\.{atom})*|{quoted}"))?;
    let lengths = languages.lengths(1, Some(64))?;
    Ok(languages.and([part, lengths])?)
}

/// `address-literal`. Besides `IPv6` no tag is registered for the general form.
fn address_literal() -> String {
    format!(r"\[(?:{}|[Ii][Pp][Vv]6:(?:{}))\]", address::ipv4(), address::ipv6_with_gap(2))
}

/// `Mailbox`: at most 254 characters (section 4.5.3.1.3: 256 with the brackets of a path).
pub(super) fn email(languages: &mut Languages) -> Result<Approximation> {
    let local = local_part(languages)?;
    let at = languages.text("@")?;
    let name = host::name(languages, 2)?;
    let literal = whole(languages, &address_literal())?;
    let domain = languages.alt([name, literal])?;
    let lower = languages.sequence([local, at, domain])?;
    Ok(Approximation { lower, upper: languages.pattern("@")? })
}
