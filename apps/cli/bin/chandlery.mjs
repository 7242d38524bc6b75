#!/usr/bin/env node
// The `chandlery` command.
import { launch } from '../../../packages/platform/bin/launch.mjs';

await launch('chandlery', new URL('../src/main.ts', import.meta.url).href);
