// Lists machines by the SDKs of Azure and Google, and receives messages, from test servers. It runs in a folder that has
// these SDKs: node list-by-sdks.mjs azure|google|azure-queue|google-queue URL JSON, where the JSON has ids and credentials.
const [cloud, url, json] = process.argv.slice(2);
const options = JSON.parse(json);
/** The SDKs are no dependencies of ours. */
const load = name => import(name);

async function listAzure({ tenantId, subscriptionId, clientId, clientSecret }) {
  const { ComputeManagementClient } = await load('@azure/arm-compute');
  const { NetworkManagementClient } = await load('@azure/arm-network');
  const { ClientSecretCredential } = await load('@azure/identity');
  const login = { authorityHost: url, disableInstanceDiscovery: true };
  const credential = new ClientSecretCredential(tenantId, clientId, clientSecret, login);
  const compute = new ComputeManagementClient(credential, subscriptionId, { endpoint: url });
  const network = new NetworkManagementClient(credential, subscriptionId, { endpoint: url });
  const sets = await Array.fromAsync(compute.virtualMachineScaleSets.listAll());
  const uniform = sets.find(({ orchestrationMode }) => orchestrationMode === 'Uniform');
  const ofSet = ['mesh-rg', uniform.name];
  const { networkInterfaces, publicIPAddresses } = network;
  return {
    machines: (await Array.fromAsync(compute.virtualMachines.listAll())).map(({ name }) => name),
    states: (await Array.fromAsync(compute.virtualMachines.listAll({ statusOnly: 'true' }))).map(
      ({ instanceView }) => instanceView?.statuses?.at(-1)?.code,
    ),
    addresses: (await Array.fromAsync(network.networkInterfaces.listAll())).map(
      ({ ipConfigurations: [first] }) => first.privateIPAddress,
    ),
    publicAddresses: (await Array.fromAsync(publicIPAddresses.listAll())).map(({ ipAddress }) => ipAddress),
    scaleSets: sets.map(({ name, orchestrationMode }) => `${name} ${orchestrationMode}`),
    membersOfFlexible: (await Array.fromAsync(compute.virtualMachines.listAll())).flatMap(
      ({ name, virtualMachineScaleSet }) => (virtualMachineScaleSet ? [name] : []),
    ),
    instances: (
      await Array.fromAsync(compute.virtualMachineScaleSetVMs.list(...ofSet, { expand: 'instanceView' }))
    ).map(({ instanceId, instanceView }) => `${instanceId} ${instanceView.statuses.at(-1).code}`),
    instanceAddresses: (
      await Array.fromAsync(networkInterfaces.listVirtualMachineScaleSetNetworkInterfaces(...ofSet))
    ).map(({ ipConfigurations: [first] }) => first.privateIPAddress),
    publicInstanceAddresses: (
      await Array.fromAsync(publicIPAddresses.listVirtualMachineScaleSetPublicIPAddresses(...ofSet))
    ).map(({ ipAddress }) => ipAddress),
    errorOfMissing: await compute.virtualMachines
      .get('mesh-rg', 'missing')
      .catch(({ code, statusCode }) => ({ code, statusCode })),
  };
}

async function listGoogle({ project, token, group, plainGroup }) {
  const { InstanceGroupManagersClient, InstanceGroupsClient, InstancesClient } = await load('@google-cloud/compute');
  const { OAuth2Client } = await load('google-auth-library');
  const authClient = new OAuth2Client();
  authClient.setCredentials({ access_token: token });
  const { hostname: apiEndpoint, port } = new URL(url);
  const place = { apiEndpoint, port: Number(port), authClient, fallback: true };
  const scopes = await Array.fromAsync(
    new InstancesClient(place).aggregatedListAsync({ project, returnPartialSuccess: true }),
  );
  const managers = new InstanceGroupManagersClient(place);
  const [members] = await managers.listManagedInstances({ project, ...group });
  const [plain] = await new InstanceGroupsClient(place).listInstances({ project, ...plainGroup });
  return {
    machines: scopes.flatMap(([, { instances = [] }]) => instances.map(({ name }) => name)),
    states: scopes.flatMap(([, { instances = [] }]) => instances.map(({ status }) => status)),
    addresses: scopes.flatMap(([, { instances = [] }]) =>
      instances.map(({ networkInterfaces: [first] }) => first.networkIP),
    ),
    health: members.map(({ instanceHealth: [first] }) => first.detailedHealthState),
    plainMembers: plain.map(({ instance }) => instance.split('/').at(-1)),
    warnings: scopes.flatMap(([scope, { warning }]) => (warning ? [`${scope} ${warning.code}`] : [])),
    errorOfMissing: await managers
      .listManagedInstances({ project, ...group, instanceGroupManager: 'missing' })
      .catch(({ code }) => code),
  };
}

/** Receives and deletes all messages. */
async function drainAzure({ tenantId, clientId, clientSecret, queue }) {
  const { QueueClient } = await load('@azure/storage-queue');
  const { ClientSecretCredential } = await load('@azure/identity');
  const login = { authorityHost: url, disableInstanceDiscovery: true };
  const credential = new ClientSecretCredential(tenantId, clientId, clientSecret, login);
  const client = new QueueClient(`${url}/meshevents/${queue}`, credential);
  const texts = [];
  for (;;) {
    const { receivedMessageItems: items } = await client.receiveMessages({ numberOfMessages: 2 });
    if (items.length === 0) return { texts };
    for (const { messageId, popReceipt, messageText } of items) {
      texts.push(messageText);
      await client.deleteMessage(messageId, popReceipt);
    }
  }
}

/** The same for a subscription. */
async function drainGoogle({ token, subscription }) {
  const { v1 } = await load('@google-cloud/pubsub');
  const { OAuth2Client } = await load('google-auth-library');
  const authClient = new OAuth2Client();
  authClient.setCredentials({ access_token: token });
  const { hostname: apiEndpoint, port } = new URL(url);
  const client = new v1.SubscriberClient({ apiEndpoint, port: Number(port), authClient, fallback: true });
  const texts = [];
  for (;;) {
    const [{ receivedMessages: received }] = await client.pull({ subscription, maxMessages: 2 });
    if (received.length === 0) return { texts };
    texts.push(...received.map(({ message }) => Buffer.from(message.data).toString()));
    await client.acknowledge({ subscription, ackIds: received.map(({ ackId }) => ackId) });
  }
}

const calls = { azure: listAzure, google: listGoogle, 'azure-queue': drainAzure, 'google-queue': drainGoogle };
console.log(JSON.stringify(await calls[cloud](options)));
