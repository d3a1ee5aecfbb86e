"""Results for other people's tools, one module each; nothing imports them before they are asked."""
