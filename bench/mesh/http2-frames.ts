/** The frame types that a client uses (RFC 9113, section 6). */
export const frameTypes = {
  data: 0,
  headers: 1,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
} as const;

/** The meaning of a flag depends on the frame type. */
export const frameFlags = { none: 0, ack: 1, endStream: 1, endHeaders: 4, padded: 8 } as const;

const settingIds = { enablePush: 2, initialWindowSize: 4, maxFrameSize: 5 } as const;

/** A number and its value. */
const settingBytes = 6;

/** Initial window of the connection, and of streams unless the peer has set another one. */
export const defaultWindowBytes = 65_535;
const maxWindowBytes = 2 ** 31 - 1;
/** Maximum frame size unless the peer allows more. */
export const defaultFrameBytes = 16_384;
const maxFrameBytes = 2 ** 24 - 1;

/** Length of a frame head: length, type, flags, stream. */
export const headBytes = 9;

export interface FrameHead {
  readonly type: number;
  readonly flags: number;
  /** 0: the connection itself. */
  readonly streamId: number;
}

/** Writes the head of a frame. */
export function writeHead(bytes: Buffer, start: number, { type, flags, streamId }: FrameHead, length: number): void {
  bytes.writeUIntBE(length, start, 3);
  bytes[start + 3] = type;
  bytes[start + 4] = flags;
  bytes.writeUInt32BE(streamId, start + 5);
}

export const readLength = (bytes: Buffer, start: number): number => bytes.readUIntBE(start, 3);

export const readHead = (bytes: Buffer, start: number): FrameHead => ({
  type: bytes[start + 3] ?? 0,
  flags: bytes[start + 4] ?? 0,
  // The highest bit is reserved.
  streamId: bytes.readUInt32BE(start + 5) & 0x7fff_ffff,
});

/** The initial window of streams; undefined when the settings have none. */
export function readInitialWindow(settings: Buffer): number | undefined {
  let found: number | undefined;
  for (let start = 0; start < settings.length; start += settingBytes) {
    if (settings.readUInt16BE(start) === settingIds.initialWindowSize) found = settings.readUInt32BE(start + 2);
  }
  return found;
}

function frame(type: number, payload: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(headBytes + payload.length);
  writeHead(bytes, 0, { type, flags: frameFlags.none, streamId: 0 }, payload.length);
  bytes.set(payload, headBytes);
  return bytes;
}

function setting(id: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(settingBytes);
  bytes.writeUInt16BE(id);
  bytes.writeUInt32BE(value, 2);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** The preface of a client that never limits the server: all windows have the maximum size. */
export const clientPreface: Buffer = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1'),
  frame(
    frameTypes.settings,
    Buffer.concat([
      setting(settingIds.enablePush, 0),
      setting(settingIds.initialWindowSize, maxWindowBytes),
      setting(settingIds.maxFrameSize, maxFrameBytes),
    ]),
  ),
  frame(frameTypes.windowUpdate, uint32(maxWindowBytes - defaultWindowBytes)),
]);
