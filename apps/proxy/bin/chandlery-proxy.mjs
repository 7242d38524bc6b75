#!/usr/bin/env node
// The `chandlery-proxy` command in a clone.
import { compileCacheOfClone, freshBundle } from '../../../packages/platform/bin/bundle.mjs';
import { launch } from '../../../packages/platform/bin/launch.mjs';

const findProgram = () => freshBundle('chandlery-proxy') ?? new URL('../src/main.ts', import.meta.url).href;
await launch('chandlery-proxy', findProgram, compileCacheOfClone);
