// The provider: run by the platform as "main.ts init" and "main.ts run".
import { runProvider } from '@chandlery/sdk';
import { provider } from './provider.ts';

await runProvider(provider);
