package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"slices"
	"strings"
	"time"
)

// archiveFolder is the one folder in an archive, which is named after it.
func archiveFolder(v version, p platform) string {
	return "svc_" + v.number() + "_" + p.os + "_" + p.arch
}

// archive returns the name and the text of the archive for a platform: zip on
// Windows, else a compressed tar. Everything is in one folder.
func (r *release) archive(b *binary, with companions, licences []byte) (name string, text []byte, err error) {
	folder := archiveFolder(r.version, b.platform)
	files := []file{
		{b.platform.program(), executable, b.text},
		{"LICENSE", plain, with.licence},
		{"README.md", plain, with.readme},
		{"THIRD-PARTY-LICENSES", plain, licences},
	}
	for name, text := range with.completions {
		files = append(files, file{"completions/" + name, plain, text})
	}
	for _, page := range with.manuals {
		files = append(files, file{"man/" + page.name, plain, page.text})
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	for i := range files {
		files[i].name = folder + "/" + files[i].name
	}
	if b.platform.os == "windows" {
		text, err = zipped(files, r.origin.date)
		return folder + ".zip", text, err
	}
	text, err = tarred(files, r.origin.date)
	return folder + ".tar.gz", text, err
}

func tarred(files []file, date time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		head := &tar.Header{
			Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(f.text)), Mode: int64(f.mode),
			Uname: "root", Gname: "root", ModTime: date, Format: tar.FormatUSTAR,
		}
		if err := w.WriteHeader(head); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return compress(b.Bytes()), nil
}

func zipped(files []file, date time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		head := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		head.SetMode(f.mode)
		part, err := w.CreateHeader(head)
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(f.text); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
