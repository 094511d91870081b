// The client's side of Cognito's SRP-6a: the password is proven and never sent.

// The 3072-bit group of RFC 5054; Cognito uses it with generator 2.
const N = BigInt(
  "0x" +
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD" +
    "EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED" +
    "EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F" +
    "83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B" +
    "E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF6955817183995497CEA956AE515D2261898FA0510" +
    "15728E5A8AAAC42DAD33170D04507A33A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7DB3970F85A6E1E4C7" +
    "ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864D87602733EC86A64521F2B18177B200C" +
    "BBE117577A615D6C770988C0BAD946E208E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF",
);
const G = 2n;
const SECRET_BYTES = 128;
const KEY_BITS = 128;
const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = [
  "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
const text = new TextEncoder();

/** One sign-in: `publicKey` goes out as SRP_A, `proof` answers the PASSWORD_VERIFIER challenge. */
export class Handshake {
  #secret = number(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
  #public = power(G, this.#secret);

  get publicKey() {
    return this.#public.toString(16);
  }

  /** The challenge's responses. `now` is what the service's clock must agree with. */
  async proof(userPoolId, password, challenge, now) {
    const user = challenge.USER_ID_FOR_SRP;
    const pool = userPoolId.split("_", 2)[1];
    const block = fromBase64(challenge.SECRET_BLOCK);
    const timestamp = stamp(now);
    const key = await this.#key(`${pool}${user}:${password}`, challenge);
    const message = joined(text.encode(pool + user), block, text.encode(timestamp));
    return {
      USERNAME: user,
      TIMESTAMP: timestamp,
      PASSWORD_CLAIM_SECRET_BLOCK: challenge.SECRET_BLOCK,
      PASSWORD_CLAIM_SIGNATURE: toBase64(await signature(key, message)),
    };
  }

  async #key(identity, challenge) {
    const theirs = BigInt(`0x${challenge.SRP_B}`);
    const u = await hash(bytes(this.#public), bytes(theirs));
    // Either zero would let a false server do without the password.
    if (theirs % N === 0n || u === 0n) throw new Error("The sign-in service's key is not valid.");
    const k = await hash(bytes(N), bytes(G));
    const inner = await digest(text.encode(identity));
    const x = await hash(bytes(BigInt(`0x${challenge.SALT}`)), inner);
    const base = (theirs - ((k * power(G, x)) % N) + N) % N;
    return derived(bytes(power(base, this.#secret + u * x)), bytes(u));
  }
}

/** "Sun Nov 16 14:30:00 UTC 2025": in English, in UTC, the day without a leading zero. */
export function stamp(date) {
  const clock = date.toISOString().slice(11, 19);
  const day = `${WEEKDAYS[date.getUTCDay()]} ${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}`;
  return `${day} ${clock} UTC ${date.getUTCFullYear()}`;
}

function power(base, exponent) {
  let result = 1n;
  for (let square = base % N; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * square) % N;
    square = (square * square) % N;
  }
  return result;
}

async function derived(secret, salt) {
  const material = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const info = text.encode("Caldera Derived Key");
  const how = { name: "HKDF", hash: "SHA-256", salt, info };
  return crypto.subtle.deriveBits(how, material, KEY_BITS);
}

async function signature(key, message) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const signer = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", signer, message));
}

async function digest(content) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", content));
}

async function hash(...parts) {
  return number(await digest(joined(...parts)));
}

/** Big-endian, with a zero byte in front when the number would read as a negative one. */
function bytes(value) {
  let hex = value.toString(16);
  if (hex.length % 2) hex = `0${hex}`;
  if (hex[0] >= "8") hex = `00${hex}`;
  return Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16));
}

function number(content) {
  return BigInt(`0x${Array.from(content, (byte) => byte.toString(16).padStart(2, "0")).join("")}`);
}

function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  return whole;
}

function fromBase64(encoded) {
  return Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
}

function toBase64(content) {
  return btoa(String.fromCharCode(...content));
}
