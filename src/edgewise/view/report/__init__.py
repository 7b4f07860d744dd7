"""The report: one HTML file that a colleague without Python can explore."""
