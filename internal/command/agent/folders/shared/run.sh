#!/bin/sh
# Puts the agent on the map and answers for it, until Ctrl-C. What is missing is made: the
# account at the host, and the agent. PLAYCTL_SERVER names a host; else it is the one of the
# context, or the one on this machine.
cd "$(dirname "$0")" || exit 1
exec playctl agent run {{.Agent}} --assist-tools tools.json {{.Mode}} -- {{.Program}}
