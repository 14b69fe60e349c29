"""Incidents against alerts: what an operator wants to know of alerting rules."""
