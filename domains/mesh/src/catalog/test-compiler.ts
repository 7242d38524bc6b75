import type { EncodedResource, ResourceType } from '../model/resource.ts';
import { clusterName, dialledNames, inboundListenerName, outboundListenerName } from '../model/resource-names.ts';
import { serviceKey } from '../model/service-name.ts';
import type { ResourceCompiler } from '../resources/create-resource-compiler.ts';

const resource = (type: ResourceType, name: string, content: unknown): EncodedResource => ({
  type,
  name,
  version: JSON.stringify(content),
  any: Buffer.from(JSON.stringify(content)),
});

/** Creates resources whose versions are their input. Counts the calls by input. */
export class TestCompiler implements ResourceCompiler {
  readonly asked: string[] = [];

  outboundService: ResourceCompiler['outboundService'] = (outbound, scope) => {
    const { service, ports } = outbound;
    const {
      identity: { tenant },
      dialect,
      certificateFolder,
    } = scope;
    this.asked.push(`service ${serviceKey(service)}`);
    return ports.flatMap(({ port }) => {
      const name = clusterName({ tenant, service, port });
      const names = dialect === 'grpc' ? dialledNames(service) : [];
      const listeners = names.map(dialled => resource('listener', dialled, { port }));
      const { split, principals } = outbound;
      return [
        resource('cluster', name, { port, principals, certificateFolder }),
        ...listeners,
        resource('route', name, { split }),
      ];
    });
  };

  outboundListener: ResourceCompiler['outboundListener'] = services =>
    services.length === 0
      ? []
      : [
          resource(
            'listener',
            outboundListenerName,
            services.map(({ service }) => service.name),
          ),
        ];

  inbound: ResourceCompiler['inbound'] = policy => [resource('listener', inboundListenerName, policy)];

  serverListener: ResourceCompiler['serverListener'] = (name, policy) => resource('listener', name, policy);

  deadEndListener: ResourceCompiler['deadEndListener'] = (name, { dialect }) =>
    dialect === 'grpc' ? resource('listener', name, 'nowhere') : undefined;

  nowhereCluster: ResourceCompiler['nowhereCluster'] = ({ dialect }) =>
    dialect === 'grpc' ? resource('cluster', 'nowhere', 'nowhere') : undefined;

  endpoints: ResourceCompiler['endpoints'] = (name, groups) => {
    this.asked.push(`endpoints ${name}`);
    return resource('endpoints', name, groups);
  };

  inboundRoots: ResourceCompiler['inboundRoots'] = bundle => resource('secret', 'root-cert-for-mtls-inbound', bundle);

  outboundRoots: ResourceCompiler['outboundRoots'] = (service, bundle, principals) =>
    resource('secret', `root-cert-for-mtls-outbound:${serviceKey(service)}`, { bundle, principals });
}
