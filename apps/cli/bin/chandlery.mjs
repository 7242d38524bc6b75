#!/usr/bin/env node
// The `chandlery` command in a clone.
import { compileCacheOfClone, freshBundle } from '../../../packages/platform/bin/bundle.mjs';
import { launch } from '../../../packages/platform/bin/launch.mjs';

const findProgram = () => freshBundle('chandlery') ?? new URL('../src/main.ts', import.meta.url).href;
await launch('chandlery', findProgram, compileCacheOfClone);
