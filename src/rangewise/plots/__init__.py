"""Pictures. They need matplotlib, the extra ``plots``; figures are made without pyplot, so they belong to the caller alone."""
