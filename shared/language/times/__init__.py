"""The parts of `shared.language.time_expressions`: days, and how languages write them."""
