// Both providers in one image: the name says which it is. Made to be killed.
import { runProvider } from '@chandlery/sdk';
import { crateProvider } from './crate-provider.ts';
import { dockProvider } from './dock-provider.ts';

const isOfDocks = process.argv.includes('--provider-name=docks');
await (isOfDocks ? runProvider(dockProvider) : runProvider(crateProvider));
