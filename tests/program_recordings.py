"""Recordings written by hand, as docs/recording.md describes them."""
import ctypes
import ctypes.util
import struct

zstd = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
for function, result, arguments in (("createCCtx", ctypes.c_void_p, []), ("freeCCtx", ctypes.c_size_t, [ctypes.c_void_p]),
                                    ("CCtx_setParameter", ctypes.c_size_t, [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]),
                                    ("compressBound", ctypes.c_size_t, [ctypes.c_size_t]),
                                    ("compress2", ctypes.c_size_t, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t,
                                                                    ctypes.c_char_p, ctypes.c_size_t])):
    getattr(zstd, "ZSTD_" + function).restype = result
    getattr(zstd, "ZSTD_" + function).argtypes = arguments
CHECKSUM_FLAG, STATES_SIZE = 201, 200  # of ZSTD_cParameter


def zstd_frame(content, checksum=True, states_size=True):
    context = zstd.ZSTD_createCCtx()
    zstd.ZSTD_CCtx_setParameter(context, CHECKSUM_FLAG, checksum)
    zstd.ZSTD_CCtx_setParameter(context, STATES_SIZE, states_size)
    packed = ctypes.create_string_buffer(zstd.ZSTD_compressBound(len(content)))
    size = zstd.ZSTD_compress2(context, packed, len(packed), content, len(content))
    zstd.ZSTD_freeCCtx(context)
    return packed.raw[:size]


def chunk(tag, content, frame=None):
    """A chunk of that content, or of a frame that says it is of that content."""
    frame = zstd_frame(content) if frame is None else frame
    return struct.pack("<4sII", tag, len(frame), len(content)) + frame


def small_joint(gone=0xFFFFFFFF, kind=0, a=0xFFFFFFFF, b=1, freedom=2, place=0.0, cone=0):
    """A joint as docs/recording.md describes it; the origin of its frame b is 1 m above the origin of body b."""
    frames = struct.pack("<3d4f", 5, 7, 7, 0, 0, 0, 1) + struct.pack("<3d4f", place, 1, 0, 0, 0, 0, 1)
    axes = 5 * struct.pack("<I2f", 1, 0, 0) + struct.pack("<I2f", freedom, -0.5, 0.5)
    return struct.pack("<4I", gone, kind, a, b) + frames + axes + struct.pack("<I6d", cone, 0, 0, 0, 0, 0, 0)


def small_recording(scene=None, frames=None, joints=None, version=3):
    """A static tetrahedron and a dynamic box that moves 2 quanta along x in frame 1, written by hand."""
    text = struct.pack("<I", 4) + b"hand"
    pose = struct.pack("<7f", 0, 0, 0, 0, 0, 0, 1)
    hull = struct.pack("<I", 4) + pose + struct.pack("<2I", 4, 4) + struct.pack("<12f", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1)
    hull += b"".join(struct.pack("<4I", 3, *face) for face in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)))
    box = struct.pack("<I", 2) + pose + struct.pack("<3f", 1, 2, 3)
    bodies = b"".join(struct.pack("<2I3d4f", kind, 1, *place, 0, 0, 0, 1) + shape
                      for kind, place, shape in ((0, (0, 0, 0), hull), (2, (5, 6, 7), box)))
    if scene is None:
        scene = struct.pack("<2d3f", 0.01, 0.5, 0, -10, 0) + text + text + struct.pack("<I", 2) + bodies
    scalars = struct.pack("<3d4I", 1.5, 0, 2, 3, 4, 1, 0)
    if frames is None:
        frames = struct.pack("<2I", 0, 2) + scalars + struct.pack("<3i4h", 0, 0, 0, 0, 0, 0, 32767)
        frames += scalars + struct.pack("<3i4h", 2, 0, 0, 0, 0, 32767, -32767)
    whole = b"CAIRNREC" + struct.pack("<I", version) + chunk(b"SCEN", scene) + chunk(b"FRAM", frames) + chunk(b"NEWS", b"later")
    whole += chunk(b"JNTS", joints) if joints is not None else b""
    return whole + chunk(b"DONE", struct.pack("<I", 2)), scene, frames
