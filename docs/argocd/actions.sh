#!/bin/sh
# The actions as Argo CD's ConfigMap wants them: one text with every script in it.
cd "$(dirname "$0")/actions" || exit 1
indented() { sed "s/^/$1/" "$2"; }
echo "discovery.lua: |"
indented "  " discovery.lua
echo "definitions:"
for action in suspend resume cancel; do
  printf -- '- name: %s\n  action.lua: |\n' "$action"
  indented "    " "$action.lua"
done
