# SPDX-License-Identifier: BSD-3-Clause
"""Print a public header as Doxygen reads it, whose comments the headers themselves do without.

    header_comments.py FILE

In C headers a comment in front of a declaration documents it, and one behind an entry of a structure that entry. A
declaration right below another, without a blank line, shares its comment. C++ headers have /// and ///< already; what
lies in namespace detail is hidden, as it is no interface. Lines of a comment that are indented show code, or a table.
"""

import re
import sys
from pathlib import Path

DECLARATION = re.compile(r"^(?:THALWEG_API|typedef|struct|enum|static|void|int|const)\b|^#define thalweg_")
GENERATED = re.compile(r"^/\* (?:end of )?thalweg_\w+(?:: from \S+)? \*/$", re.MULTILINE)
RULE = re.compile(r"^/\* --- .* --- \*/$", re.MULTILINE)


def c_header(text: str) -> str:
    """Give a C header with Doxygen's comments."""
    text = RULE.sub("", GENERATED.sub("", text.replace("/* SPDX-License-Identifier: BSD-3-Clause */\n", "")))
    text = re.sub(r"\A\s*/\*", "/** @file\n *", text)
    text = re.sub(r"^(\s*)/\*(?!\*)", r"\1/**", text, flags=re.MULTILINE)
    text = re.sub(r"^(.*[^\s].*?)\s/\*(?!\*)", r"\1 /**<", text, flags=re.MULTILINE)
    text = re.sub(
        r"^#define THALWEG_\w+_INIT", r"/** The usual values of the structure. */\n\g<0>", text, flags=re.MULTILINE
    )
    return shared(with_code(text, r" \* {3,}", " *"))


def cpp_header(text: str) -> str:
    """Give a C++ header whose comment at the top is the file's."""
    text = text.replace("// SPDX-License-Identifier: BSD-3-Clause\n", "", 1)
    head = re.match(r"#pragma once\n\n((?://.*\n)+)", text)
    if head:
        comment = "/// @file\n" + re.sub(r"^//", "///", head[1], flags=re.MULTILINE)
        text = text[: head.start(1)] + comment + text[head.end(1) :]
    return with_code(text, r" *///? {3,}", "///")


def with_code(text: str, indented: str, mark: str) -> str:
    """Give a header whose indented lines of comments are verbatim."""
    begin, end = f"{mark} @verbatim\n", f"{mark} @endverbatim\n"
    blocks = re.compile(
        rf"(?:^{indented}\S.*\n)(?:^(?:{indented}.*|{re.escape(mark)})\n)*(?<!^{re.escape(mark)}\n)", re.MULTILINE
    )
    return blocks.sub(
        lambda block: begin + block[0].replace("*/", "") + end + ("*/\n" if "*/" in block[0] else ""), text
    )


def shared(text: str) -> str:
    """Give declarations below one with a comment the same comment, up to a blank line."""
    lines: list[str] = []
    comment, held, is_open = "", "", False
    for line in text.splitlines():
        if line.startswith("/**"):
            held, is_open = "", True
        if is_open:
            held += line + "\n"
            if "*/" in line:
                comment, is_open = held, False
        elif not line.strip():
            comment = ""
        elif DECLARATION.match(line) and lines and comment and not lines[-1].endswith("*/"):
            lines += comment.splitlines()
        lines.append(line)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    path = Path(sys.argv[1])
    sys.stdout.write((c_header if path.suffix == ".h" else cpp_header)(path.read_text()))
