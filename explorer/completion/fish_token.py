"""The word at the cursor of fish, which is handed over with its quotes."""


def unquoted(token: str) -> str:
    """Without quotes and backslashes, as far as simple quoting goes: fish itself decides what of
    the answer fits."""
    found, quote, at = "", "", 0
    while at < len(token):
        char = token[at]
        at += 1
        if char == "\\" and (not quote or token[at : at + 1] in (quote, "\\", "$")):
            found += token[at : at + 1]
            at += 1
        elif char == quote:
            quote = ""
        elif not quote and char in "'\"":
            quote = char
        else:
            found += char
    return found
