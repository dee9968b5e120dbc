"""Names of tools that people use, in small letters. Pure data."""

from typing import Final

from shared.language.statements.words import PLATFORMS, word_set

TOOLS: Final = PLATFORMS | word_set("""
    vim neovim nvim emacs helix nano vscode zed sublime atom intellij pycharm eclipse xcode bash zsh fish tmux npm pnpm
    yarn bun deno node pip poetry uv conda postgres postgresql mysql mariadb sqlite mongodb redis valkey git svn
    docker podman kubernetes nomad react vue svelte angular django flask fastapi rails pytorch tensorflow pandas polars
    jenkins gitlab github bitbucket slack teams discord zoom signal whatsapp telegram chrome firefox safari edge brave
    opera spotify tidal netflix notion obsidian evernote joplin trello jira asana excel word figma sketch gmail outlook
    duckduckgo google bing bitwarden keepass lastpass yaml json toml tabs spaces python rust go java typescript
    kotlin swift ruby php perl scala haskell latex typst markdown
""")
