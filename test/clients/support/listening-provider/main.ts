// A provider of listeners: an instance is an address that its order names, at which the test listens.
import { defineProvider, defineProviderConfig, defineService, type ObjectOf, runProvider, Type } from '@chandlery/sdk';

const group = 'listeners.services.open-control-plane.io';

const listeners = defineService({
  group,
  version: 'v1alpha1',
  kind: 'Listener',
  description: 'An address at which somebody listens.',
  spec: Type.Object({
    address: Type.String(),
    port: Type.Integer(),
    account: Type.Optional(Type.String({ description: 'As which the proxy in front of it authenticates.' })),
  }),
});
type Listener = ObjectOf<typeof listeners>;

const configs = defineProviderConfig({ group, version: 'v1alpha1', description: 'Nothing.', spec: Type.Object({}) });
type ListenersConfig = ObjectOf<typeof configs>;

await runProvider(
  defineProvider<Listener, ListenersConfig>({
    api: listeners,
    config: configs,
    service: {
      observe: async ({ spec: { address, port, account } }) => ({
        exists: true,
        differences: [],
        isReady: true,
        connection: { host: address, port: String(port) },
        listens: { ...(account && { serviceAccount: account }), endpoints: [{ address, port, name: 'http' }] },
      }),
    },
  }),
);
