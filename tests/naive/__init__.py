"""The equations in plain loops, as a reference for the library. Imports nothing of rangewise."""
