"""Parts that commands share: options, arguments, settings, output, charts and boards of comparisons."""
