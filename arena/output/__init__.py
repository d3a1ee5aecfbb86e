"""What results look like: tables, JSON, charts and short names, for terminal, files and pages."""
