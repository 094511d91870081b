"""Documentation site: the Markdown of the project as static HTML, `make site`."""
