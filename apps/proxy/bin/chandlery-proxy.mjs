#!/usr/bin/env node
// The `chandlery-proxy` command.
import { launch } from '../../../packages/platform/bin/launch.mjs';

await launch('chandlery-proxy', new URL('../src/main.ts', import.meta.url).href);
