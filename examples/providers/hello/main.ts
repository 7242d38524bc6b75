// The provider: run by the platform, or anywhere else, as "main.ts init" and "main.ts run".
import { runProvider } from '@chandlery/sdk';
import { provider } from './provider.ts';

await runProvider(provider);
