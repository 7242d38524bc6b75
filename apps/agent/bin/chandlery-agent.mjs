#!/usr/bin/env node
// The `chandlery-agent` command.
import { launch } from '../../../packages/platform/bin/launch.mjs';

await launch('chandlery-agent', new URL('../src/main.ts', import.meta.url).href);
