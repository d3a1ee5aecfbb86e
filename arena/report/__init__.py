"""Reports: tables computed from what is stored, written for a terminal or as Markdown."""
