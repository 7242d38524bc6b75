import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Has a scaffolded provider observe a service that exists under a name and chooses a region by itself. */
export async function addPlatformFeatures(folder: string): Promise<void> {
  await replace(
    join(folder, 'kinds.ts'),
    "greeting: Type.String({ default: 'Hello'",
    region => `region: Type.Optional(Type.String()),\n    ${region}`,
  );
  await replace(join(folder, 'provider.ts'), 'service: { desired },', () => observing);
}

const observing = `lateInitialized: ['region'],
  service: {
    desired,
    observe: async (_, { externalName }) => ({
      exists: true,
      differences: [],
      isReady: true,
      connection: { account: externalName },
      chosen: { region: 'eu-1' },
    }),
    createOrUpdate: async () => undefined,
  },`;

async function replace(file: string, text: string, change: (text: string) => string): Promise<void> {
  const before = await readFile(file, 'utf8');
  assert.ok(before.includes(text), `${text} is not in ${file}`);
  await writeFile(file, before.replace(text, change(text)));
}
